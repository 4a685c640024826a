import { checkedEnv, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import { callSafely, createListeners } from '../kit/listeners.ts';
import { createMailbox } from '../kit/mailbox.ts';
import type { AgentEvent } from '../run/events.ts';
import type { AgentSession, AgentSessionOptions, SessionSettings, SessionSnapshot } from './agent-session.ts';
import { createCommands, type Door } from './commands.ts';
import { createAnnouncement } from './hub.ts';
import { createOpener } from './opener.ts';
import { createPerformer } from './perform.ts';
import { createPublisher } from './publisher.ts';
import { disposed } from './refusals.ts';
import { createReplies } from './replies.ts';
import { retriesAfter } from './retries.ts';
import { createRunner } from './runner.ts';
import { createSessionSaver } from './saver.ts';
import { savingEvents } from './saving-events.ts';
import { isCommand, type SessionInput } from './session-input.ts';
import { createSessionJournal } from './session-journal.ts';
import { emptyModel, type SessionModel } from './session-model.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import { queueOf, snapshotOf } from './snapshot.ts';
import { steeredInto } from './steered-into.ts';
import { toUserMessage } from './to-user-message.ts';
import { withoutTransientPlugins } from './transient-plugins.ts';
import type { Transition } from './transition.ts';

/**
 * The controller of one conversation: a mailbox before a pure machine, a journal that holds the agent's state, and what
 * runs, saves and publishes for them. Nothing reaches outside, no clock is read and no id made before somebody looks or
 * asks for something, so that a session may be made while rendering.
 */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { sessions, initialState } = options;
  const env = checkedEnv(options.env ?? systemEnv);
  let settings: SessionSettings = options;
  let id = options.sessionId ?? null;
  let model: SessionModel = { ...emptyModel, hasStore: sessions !== undefined };
  let snapshot: SessionSnapshot | null = null;
  let disposal: Promise<void> | null = null;
  const listeners = createListeners<{ readonly event: AgentEvent; readonly state: AgentState }>();
  const announcement = createAnnouncement();
  const replies = createReplies();
  const mailbox = createMailbox<SessionInput>(handle);
  const { post } = mailbox;

  const journal = createSessionJournal({
    env,
    initialState,
    make: () => opener.engine().createJournal,
    onJournal: (made) =>
      announcement.show({ id: id ?? '', name: settings.agent.name, journal: made, commands: session }),
    onEvent: heard,
  });
  const saver = createSessionSaver({
    sessions,
    env,
    read: () => ({
      id,
      agentName: settings.agent.name,
      state: withoutTransientPlugins(journal.state(), settings.agent.plugins),
      title: model.title,
      queue: queueOf(model.queue),
      draft: model.draft,
    }),
    onChange: () => publisher.touch(),
  });
  const store = (options.createStore ?? createSnapshotStore)(takeSnapshot);
  const publisher = createPublisher(store, takeSnapshot, options.publish ?? 'frame');
  const opener = createOpener({
    id: () => id,
    sessions,
    saver,
    mailbox,
    replies,
    resume: () => settings.resume === true,
    onOpen: () => publisher.flush(),
  });
  const runner = createRunner({
    env,
    engine: opener.engine,
    agent: () => settings.agent,
    journal: journal.current,
    takeSteered(runId) {
      const steered = steeredInto(model, runId);
      if (steered.length > 0) post({ type: 'steered', runId, ids: steered.map((message) => message.id) });
      return steered.map((message) => toUserMessage(message, env));
    },
    onOver: (runId, outcome) => post({ type: 'run-over', runId, outcome }),
  });
  const perform = createPerformer({
    ...{ env, journal, runner, saver, publisher, replies, post },
    settings: () => settings,
    engine: opener.engine,
    openAgain: opener.openAgain,
    leave() {
      opener.end();
      announcement.end();
      saver.close();
      publisher.dispose();
    },
  });

  function takeSnapshot(): SessionSnapshot {
    const [title, persistence, waiting] = [saver.title(), saver.persistence(), mailbox.waiting()];
    const { state } = journal;
    return (snapshot = snapshotOf(
      { id, title, model, state: state(), settings, persistence, waiting },
      snapshot,
    ));
  }

  /** One input: what the machine makes of it, what that begins, and what is to be done. */
  function handle(input: SessionInput): void {
    const { reduce, advance } = opener.engine();
    if (isCommand(input)) {
      if (input.type !== 'dispose') journal.begin();
      saver.nudge();
    }
    enter(reduce(model, input, journal.state()));
    for (let before: SessionModel | null = null; before !== model;) {
      before = model;
      enter(advance(model, journal.state()));
    }
    publisher.touch();
    if (input.type === 'set-draft') publisher.flush();
  }

  function enter(transition: Transition): void {
    ({ model } = transition);
    for (const effect of transition.effects) callSafely(() => perform(effect));
  }

  function heard(event: AgentEvent, state: AgentState): void {
    const retrying = retriesAfter(model.retrying, event);
    if (retrying !== model.retrying) post({ type: 'retrying', retrying });
    if (savingEvents.has(event.type)) saver.schedule();
    publisher.touch();
    listeners.notify({ event, state });
    callSafely(() => settings.onEvent?.(event, state));
  }

  const door: Door = {
    ask(make) {
      const command = make(env.id());
      const answer = replies.expect(command.id);
      if (model.isDisposed && !opener.isStarted()) replies.refuse([command], disposed());
      else door.tell(() => command);
      return answer;
    },
    tell(make) {
      if (model.isDisposed && !opener.isStarted()) return;
      id ??= env.id();
      const command = make(env.id());
      void opener.start();
      post(command);
      publisher.touch();
      if (command.type === 'set-draft') publisher.flush();
    },
  };

  const session: AgentSession = {
    ...createCommands(door, { env, onBusy: () => settings.onBusy ?? 'queue' }),
    id: () => id,
    store: {
      ...store,
      subscribe(listener) {
        if (disposal === null) void opener.start();
        return store.subscribe(listener);
      },
    },
    get ready() {
      return disposal === null ? opener.start() : disposal;
    },
    onEvent: (listener) => listeners.add(({ event, state }) => listener(event, state)),
    settings: () => settings,
    configure(next) {
      const isResumed = next.resume === true && settings.resume !== true;
      settings = next;
      publisher.setMode(next.publish ?? 'frame');
      if (isResumed && model.phase === 'open') door.tell((id) => ({ type: 'resume', id, isAutomatic: true }));
      publisher.touch();
    },
    flush: () => saver.flush().then(() => undefined),
    dispose() {
      disposal ??= opener.isStarted() ? close() : Promise.resolve();
      model = opener.isStarted() ? model : { ...model, isDisposed: true };
      return disposal;
    },
  };

  async function close(): Promise<void> {
    await door.ask(() => ({ type: 'dispose', id: 'dispose' }));
  }

  return session;
}
