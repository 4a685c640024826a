import { checkedEnv, systemEnv } from '../graph/env.ts';
import { createListeners } from '../kit/listeners.ts';
import { createMailbox } from '../kit/mailbox.ts';
import type { AgentSession, AgentSessionOptions, SessionSettings, SessionSnapshot } from './agent-session.ts';
import { blankState } from './blank-state.ts';
import { createCommands } from './commands.ts';
import { createDoor } from './door.ts';
import type { SessionEngine } from './engine.ts';
import type { EventListeners } from './event-ear.ts';
import { firstPersistence } from './saving/first-persistence.ts';
import { createOpener } from './opener.ts';
import { isBlank, laterViews } from './conversation/later-views.ts';
import { createPublisher } from './publishing/publisher.ts';
import { createReplies } from './replies.ts';
import type { SessionInput } from './machine/session-input.ts';
import { emptyModel, type SessionModel } from './machine/session-model.ts';
import { sessionViews } from './conversation/session-views.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import { snapshotOf } from './publishing/snapshot.ts';
import { assertSessionId } from '../kit/check-id.ts';
import type { SessionWorks } from './works.ts';

/**
 * The controller of one conversation: a mailbox before a pure machine, a journal that holds the agent's state, and what
 * runs, saves and publishes for them. Nothing reaches outside, no clock is read and no id made before somebody looks or
 * asks for something, so that a session may be made while rendering.
 * @throws AgentError `id-invalid` for a `sessionId` that is not safe in keys, file names and addresses.
 */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { sessions, initialState, publish = 'frame', createStore = createSnapshotStore } = options;
  const env = checkedEnv(options.env ?? systemEnv);
  let current: SessionSettings = options;
  let id = options.sessionId ?? null;
  if (id !== null) assertSessionId(id);
  let snapshot: SessionSnapshot | null = null;
  let views = laterViews();
  const { initialTree: tree = emptyModel.tree, initialDraft: draft = '' } = options;
  let unopened: SessionModel = { ...emptyModel, hasStore: sessions !== undefined, tree, draft };
  const persistence = firstPersistence(sessions);
  const settings = (): SessionSettings => current;
  const idOf = (): string | null => id;
  const resume = (): boolean => current.resume === true;
  const listeners: EventListeners = createListeners();
  const replies = createReplies();
  const mailbox = createMailbox<SessionInput>((input) => opener.works()?.handle(input));
  const onOpen = (): void => publisher.flush();
  const opener = createOpener({ sessions, make, mailbox, replies, id: idOf, resume, onOpen });
  const store = createStore(takeSnapshot);
  const publisher = createPublisher(store, takeSnapshot, publish, env);
  const { openAgain } = opener;
  const door = createDoor({ env, model, opener, mailbox, replies, publisher, closeUnopened, use });

  function make({ createWorks, pageFrames }: SessionEngine): SessionWorks {
    publisher.join(pageFrames());
    const { forks = sessions } = options;
    const first = { env, sessions, forks, initialState, id: idOf, settings, model: unopened };
    const commands = (): AgentSession => session;
    return createWorks({ ...first, publisher, replies, listeners, commands, mailbox, openAgain, onLeave });
  }

  function model(): SessionModel {
    return opener.works()?.model() ?? unopened;
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
    const works = opener.works();
    const state = works?.state() ?? initialState ?? blankState;
    const moment = {
      id,
      model: model(),
      state,
      title: works?.title() ?? sessionViews(state).title(state),
      persistence: works?.persistence() ?? persistence,
      waiting: mailbox.waiting(),
      settings: current,
      work: works?.work() ?? null,
    };
    // What can show the state may come after it.
    const isShownAnew = views !== laterViews() && !isBlank(state);
    views = laterViews();
    return (snapshot = snapshotOf(moment, isShownAnew ? null : snapshot));
  }

  const session: AgentSession = {
    ...createCommands(door, { env, onBusy: () => current.onBusy ?? 'queue' }),
    id: idOf,
    branches(messageId) {
      const now = store.getState();
      return sessionViews(now.state).branches(now)(messageId);
    },
    store: {
      ...store,
      subscribe(listener) {
        void door.look();
        return store.subscribe(listener);
      },
    },
    get ready() {
      return door.look();
    },
    onEvent: (listener) => listeners.add(({ event, state }) => listener(event, state)),
    settings,
    configure(next) {
      const isResumed = next.resume === true && current.resume !== true && model().phase === 'open';
      current = next;
      publisher.setMode(next.publish ?? 'frame');
      if (isResumed) door.tell((commandId) => ({ type: 'resume', id: commandId, isAutomatic: true }));
      publisher.touch();
    },
    flush: async () => void (await opener.works()?.flush()),
    dispose: door.dispose,
  };
  return session;
}
