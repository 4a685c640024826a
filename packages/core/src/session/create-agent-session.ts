import { checkedEnv, systemEnv } from '../graph/env.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { Journal } from '../run/journal.ts';
import type { AgentSession, AgentSessionOptions, SessionSettings, SessionSnapshot } from './agent-session.ts';
import { createCommands } from './commands.ts';
import { createDoor } from './door.ts';
import { createEventEar } from './event-ear.ts';
import { createAnnouncement } from './hub.ts';
import type { Saved } from './is-worth-saving.ts';
import { createOpener } from './opener.ts';
import { createPerformer } from './perform.ts';
import { createProcessor } from './processor.ts';
import { createPublisher } from './publisher.ts';
import { createReplies } from './replies.ts';
import { createRunner } from './runner.ts';
import { createSessionSaver } from './saver.ts';
import { createSessionJournal, type JournalOptions } from './session-journal.ts';
import { createSnapshotStore } from './snapshot-store.ts';
import { queueOf, snapshotOf } from './snapshot.ts';
import { assertSessionId } from './stores/session-id.ts';
import { withoutTransientPlugins } from './transient-plugins.ts';

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
  const settings = (): SessionSettings => current;
  const idOf = (): string | null => id;
  const resume = (): boolean => current.resume === true;
  const announcement = createAnnouncement();
  const replies = createReplies();

  const { model, mailbox, afterwards, closeUnopened } = createProcessor({
    hasStore: sessions !== undefined,
    engine: () => opener.engine(),
    journal: () => journal,
    saver: () => saver,
    publisher: () => publisher,
    perform: () => perform,
  });
  const { post } = mailbox;
  const ear = createEventEar({ model, settings, post, saver: () => saver, publisher: () => publisher });
  const make: JournalOptions['make'] = () => opener.engine().createJournal;
  const { onEvent } = ear;
  const journal = createSessionJournal({ env, initialState, make, onEvent, onJournal });
  const saver = createSessionSaver({ sessions, env, read: whatToSave, onChange: () => publisher.touch() });
  const store = createStore(takeSnapshot);
  const publisher = createPublisher(store, takeSnapshot, publish, env);
  const { flush: onOpen } = publisher;
  const opener = createOpener({ sessions, saver, mailbox, replies, id: idOf, resume, onOpen });
  const { engine, openAgain } = opener;
  const runner = createRunner({ env, model, post, engine, settings, journal: journal.current });
  const parts = { env, settings, engine, journal, runner, saver, publisher, replies, post };
  const perform = createPerformer({ ...parts, afterwards, openAgain, leave });
  const door = createDoor({ env, model, opener, mailbox, replies, publisher, closeUnopened, use });

  function onJournal(made: Journal): void {
    const budget = (): ExecutionBudget => current.agent.budget;
    announcement.show({ id: id ?? '', name: current.agent.name, journal: made, budget, commands: session });
  }

  function use(): void {
    id ??= env.id();
  }

  function leave(): void {
    for (const end of [opener.end, announcement.end, saver.close, publisher.dispose]) end();
  }

  function whatToSave(): Saved {
    const { title, queue, draft } = model();
    const state = withoutTransientPlugins(journal.state(), current.agent.plugins);
    return { id, agentName: current.agent.name, state, title, queue: queueOf(queue), draft };
  }

  function takeSnapshot(): SessionSnapshot {
    const [title, persistence, waiting] = [saver.title(), saver.persistence(), mailbox.waiting()];
    const moment = { id, title, persistence, waiting, settings: current };
    return (snapshot = snapshotOf({ ...moment, model: model(), state: journal.state() }, snapshot));
  }

  const session: AgentSession = {
    ...createCommands(door, { env, agent: () => current.agent, onBusy: () => current.onBusy ?? 'queue' }),
    id: idOf,
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
    onEvent: ear.add,
    settings,
    configure(next) {
      const isResumed = next.resume === true && current.resume !== true && model().phase === 'open';
      current = next;
      publisher.setMode(next.publish ?? 'frame');
      if (isResumed) door.tell((commandId) => ({ type: 'resume', id: commandId, isAutomatic: true }));
      publisher.touch();
    },
    flush: () => saver.flush().then(() => undefined),
    dispose: door.dispose,
  };
  return session;
}
