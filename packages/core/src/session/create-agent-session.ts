import { checkAgent } from '../agent/check-init.ts';
import { checkedEnv, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
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
import { createCommands } from './commands/commands.ts';
import { CommandDispatcher, type SessionEngine } from './commands/dispatcher.ts';
import { createPublisher } from './publishing/publisher.ts';
import { createReplies } from './replies.ts';
import type { SessionInput } from './machine/session-input.ts';
import { emptyModel } from './machine/session-model.ts';
import { selectors } from './conversation/selectors.ts';
import type { SessionStore } from './store/session-store.ts';
import { assertSessionId } from '../kit/ids.ts';
import type { EventListeners, SessionController } from './controller/session-controller.ts';
import type { SharedRuns } from './running/runner.ts';

/**
 * Creates the controller of one conversation: a mailbox, a pure machine, a journal that holds the agent's state, and
 * parts that run, save and publish. Before its first use it has no side effects, reads no clock and makes no id, so it
 * may be created while rendering.
 * @throws AgentError `id-invalid` for a `sessionId` that is not safe in keys, file names and addresses; `agent-invalid`
 * for an agent that `defineAgent` did not make.
 */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  return createSessionUnder(options, {});
}

/** Creates a session whose runs share a ledger and have features of their own, as the forks of `forkRuns` do. */
export function createSessionUnder(options: AgentSessionOptions, runs: SharedRuns): AgentSession {
  const { sessions, initialState, publish = 'frame', createStore = createSnapshotStore } = options;
  checkAgent(options.agent, 'createAgentSession: agent');
  if (options.sessionId !== undefined) assertSessionId(options.sessionId);
  const env = checkedEnv(options.env ?? systemEnv);
  let current: SessionSettings = options;
  let snapshot: SessionSnapshot | null = null;
  const { initialTree: tree = emptyModel.tree, initialDraft: draft = '' } = options;
  const persistence = firstPersistence(sessions);
  const settings = (): SessionSettings => current;
  const listeners: EventListeners = createListeners();
  const replies = createReplies();
  const mailbox = createMailbox<SessionInput>((input) => dispatcher.controller?.handle(input));
  const dispatcher = new CommandDispatcher({
    env,
    sessionId: options.sessionId,
    sessions,
    unopened: { ...emptyModel, hasStore: sessions !== undefined, tree, draft },
    make,
    mailbox,
    replies,
    publisher: { flush: () => publisher.flush(), touch: () => publisher.touch() },
    resume: () => current.resume === true,
  });
  const store = createStore(takeSnapshot);
  const publisher = createPublisher(store, takeSnapshot, publish, env);

  function make({ SessionController, pageFrames }: SessionEngine): Promise<SessionController> {
    publisher.join(pageFrames());
    const { forks = sessions, effects = null, owner = null } = options;
    const { model } = dispatcher;
    const given = { env, effects, runs, owner, sessions, forks, initialState, id, settings, model };
    const made = { publisher, replies, listeners, mailbox, session };
    const openAgain = (commandId: string | null): void => dispatcher.openAgain(commandId);
    return SessionController.open({ ...given, ...made, openAgain, onLeave: publisher.dispose });
  }

  function id(): string | null {
    return dispatcher.id;
  }

  function state(): AgentState {
    return dispatcher.controller?.state ?? initialState ?? blankState;
  }

  function takeSnapshot(): SessionSnapshot {
    const { controller, model } = dispatcher;
    const shown = controller?.facts();
    const moment = {
      id: id(),
      model,
      state: state(),
      title: shown?.title ?? selectors.title(state()),
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
    const { name: agentName } = current.agent;
    await moveSession({ id: id(), agentName, sessions, dispatcher }, to);
  }

  const session: AgentSession = {
    ...createCommands(dispatcher, { env, moveTo, state, onBusy: () => current.onBusy ?? 'queue' }),
    id,
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
      const isResumed = next.resume === true && current.resume !== true && dispatcher.model.phase === 'open';
      current = next;
      publisher.setMode(next.publish ?? 'frame');
      if (isResumed) dispatcher.send((commandId) => ({ type: 'resume', id: commandId, isAutomatic: true }));
      publisher.touch();
    },
    isSettled: () =>
      !dispatcher.isLoading && mailbox.waiting().length === 0 && (dispatcher.controller?.isSettled ?? true),
    async flush() {
      const { controller, isStarted, model } = dispatcher;
      if (!isStarted) return { stored: model.hasStore };
      return { stored: (await controller?.persistence.settle())?.stored ?? false };
    },
    dispose: () => dispatcher.dispose(),
  };
  return session;
}
