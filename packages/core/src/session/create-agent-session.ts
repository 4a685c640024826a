import { checkAgent } from '../agent/check-init.ts';
import { checkedEnv, systemEnv } from '../graph/env.ts';
import { createListeners } from '../kit/listeners.ts';
import { createMailbox } from '../kit/mailbox.ts';
import { nothing } from '../kit/memoize.ts';
import {
  type AgentSession,
  type AgentSessionOptions,
  type SessionSettings,
  type SessionSnapshot,
  firstPersistence,
} from './agent-session.ts';
import { snapshotOf, blankState, createSnapshotStore } from './publishing/snapshot.ts';
import { createCommands, createCommandDispatcher } from './commands/commands.ts';
import type { Ledger } from '../run/ledger.ts';
import { createSessionLoader, type SessionEngine } from './controller/session-loader.ts';
import { createPublisher } from './publishing/publisher.ts';
import { createReplies } from './replies.ts';
import type { SessionInput } from './machine/session-input.ts';
import { emptyModel, type SessionModel } from './machine/session-model.ts';
import { selectors } from './conversation/selectors.ts';
import type { SessionStore } from './store/session-store.ts';
import { assertSessionId } from '../kit/ids.ts';
import type { EventListeners, SessionController } from './controller/session-controller.ts';

/**
 * Creates the controller of one conversation: a mailbox, a pure machine, a journal that holds the agent's
 * state, and parts that run, save and publish.
 * Before its first use it has no side effects, reads no clock and makes no id, so it may be created while
 * rendering.
 * @throws AgentError `id-invalid` for a `sessionId` that is not safe in keys, file names and addresses;
 * `agent-invalid` for an agent that `defineAgent` did not make.
 */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  return createSessionUnder(options, null);
}

/** Creates a session whose runs share a ledger, as the forks of `forkRuns` do. */
export function createSessionUnder(options: AgentSessionOptions, ledger: Ledger | null): AgentSession {
  const { sessions, initialState, publish = 'frame', createStore = createSnapshotStore } = options;
  checkAgent(options.agent, 'createAgentSession: agent');
  const env = checkedEnv(options.env ?? systemEnv);
  let current: SessionSettings = options;
  let id = options.sessionId ?? null;
  if (id !== null) assertSessionId(id);
  let snapshot: SessionSnapshot | null = null;
  const { initialTree: tree = emptyModel.tree, initialDraft: draft = '' } = options;
  let unopened: SessionModel = { ...emptyModel, hasStore: sessions !== undefined, tree, draft };
  const persistence = firstPersistence(sessions);
  const settings = (): SessionSettings => current;
  const idOf = (): string | null => id;
  const resume = (): boolean => current.resume === true;
  const listeners: EventListeners = createListeners();
  const replies = createReplies();
  const mailbox = createMailbox<SessionInput>((input) => loader.controller?.handle(input));
  const onLoad = (): void => publisher.flush();
  const loader = createSessionLoader({ sessions, make, mailbox, replies, id: idOf, resume, onLoad });
  const store = createStore(takeSnapshot);
  const publisher = createPublisher(store, takeSnapshot, publish, env);
  const { openAgain } = loader;
  const dispatcher = createCommandDispatcher({
    env,
    model,
    loader,
    mailbox,
    replies,
    publisher,
    closeUnopened,
    use,
  });

  function make({ SessionController, pageFrames }: SessionEngine): Promise<SessionController> {
    publisher.join(pageFrames());
    const { forks = sessions, effects = null, owner = null } = options;
    const first = {
      env,
      effects,
      ledger,
      owner,
      sessions,
      forks,
      initialState,
      id: idOf,
      settings,
      model: unopened,
    };
    const made = { publisher, replies, listeners, mailbox, session };
    return SessionController.open({ ...first, ...made, openAgain, onLeave });
  }

  function model(): SessionModel {
    return loader.controller?.model ?? unopened;
  }

  function closeUnopened(): void {
    unopened = { ...unopened, isDisposed: true };
  }

  function use(): void {
    id ??= env.id();
  }

  function onLeave(): void {
    publisher.dispose();
  }

  function takeSnapshot(): SessionSnapshot {
    const { controller } = loader;
    const state = controller?.state ?? initialState ?? blankState;
    const shown = controller?.facts();
    const moment = {
      id,
      model: model(),
      state,
      title: shown?.title ?? selectors.title(state),
      persistence: shown?.persistence ?? persistence,
      where: shown?.where ?? (sessions === undefined ? 'tab' : 'nobody'),
      connection: shown?.connection ?? 'open',
      unsent: shown?.unsent ?? nothing,
      waiting: mailbox.waiting(),
      limits: shown?.limits ?? current.agent,
      work: controller?.work ?? null,
    };
    return (snapshot = snapshotOf(moment, snapshot));
  }

  async function moveTo(to: SessionStore): Promise<void> {
    const { moveSession } = await import('./commands/move-session.ts');
    await dispatcher.open();
    const { request } = dispatcher;
    const { name: agentName } = current.agent;
    await moveSession({ id, agentName, sessions, model, request }, to);
  }

  const session: AgentSession = {
    ...createCommands(dispatcher, {
      env,
      model,
      moveTo,
      state: () => loader.controller?.state ?? initialState ?? blankState,
      onBusy: () => current.onBusy ?? 'queue',
    }),
    id: idOf,
    branches: (messageId) => selectors.branches(store.getState())(messageId),
    store: {
      ...store,
      subscribe(listener) {
        void dispatcher.open();
        return store.subscribe(listener);
      },
    },
    get ready() {
      return dispatcher.open();
    },
    onEvent: (listener) => listeners.add(({ event, state }) => listener(event, state)),
    settings,
    configure(next) {
      const isResumed = next.resume === true && current.resume !== true && model().phase === 'open';
      current = next;
      publisher.setMode(next.publish ?? 'frame');
      if (isResumed) dispatcher.send((commandId) => ({ type: 'resume', id: commandId, isAutomatic: true }));
      publisher.touch();
    },
    isSettled: () =>
      !loader.isLoading() && mailbox.waiting().length === 0 && (loader.controller?.isSettled ?? true),
    async flush() {
      if (!loader.isStarted()) return { stored: unopened.hasStore };
      return { stored: (await loader.controller?.whenSettled())?.stored ?? false };
    },
    dispose: dispatcher.dispose,
  };
  return session;
}
