import { checkedEnv, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import { callSafely, createListeners } from '../kit/listeners.ts';
import type { AgentEvent } from '../run/events.ts';
import type { AgentSession, AgentSessionOptions, SessionSettings, SessionSnapshot } from './agent-session.ts';
import { createCommands } from './commands.ts';
import { createDoor } from './door.ts';
import { createAnnouncement } from './hub.ts';
import { createOpener } from './opener.ts';
import { createPerformer } from './perform.ts';
import { createProcessor } from './processor.ts';
import { createPublisher } from './publisher.ts';
import { createReplies } from './replies.ts';
import { retriesAfter } from './retries.ts';
import { createRunner } from './runner.ts';
import { createSessionSaver } from './saver.ts';
import { savingEvents } from './saving-events.ts';
import { createSessionJournal } from './session-journal.ts';
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
  let settings: SessionSettings = options;
  let id = options.sessionId ?? null;
  if (id !== null) assertSessionId(id);
  let snapshot: SessionSnapshot | null = null;
  const listeners = createListeners<{ readonly event: AgentEvent; readonly state: AgentState }>();
  const announcement = createAnnouncement();
  const replies = createReplies();
  const { model, mailbox, closeUnopened } = createProcessor({
    hasStore: sessions !== undefined,
    engine: () => opener.engine(),
    journal: () => journal,
    saver: () => saver,
    publisher: () => publisher,
    perform: () => perform,
  });
  const { post } = mailbox;

  const journal = createSessionJournal({
    ...{ env, initialState, onEvent },
    make: () => opener.engine().createJournal,
    onJournal: (made) =>
      announcement.show({ id: id ?? '', name: settings.agent.name, journal: made, commands: session }),
  });
  const saver = createSessionSaver({
    ...{ sessions, env },
    read: () => ({
      id,
      agentName: settings.agent.name,
      state: withoutTransientPlugins(journal.state(), settings.agent.plugins),
      title: model().title,
      queue: queueOf(model().queue),
      draft: model().draft,
    }),
    onChange: () => publisher.touch(),
  });
  const store = createStore(takeSnapshot);
  const publisher = createPublisher(store, takeSnapshot, publish, env);
  const opener = createOpener({
    ...{ sessions, saver, mailbox, replies },
    id: () => id,
    resume: () => settings.resume === true,
    onOpen: () => publisher.flush(),
  });
  const runner = createRunner({
    ...{ env, model, post },
    engine: opener.engine,
    agent: () => settings.agent,
    journal: journal.current,
  });
  const perform = createPerformer({
    ...{ env, journal, runner, saver, publisher, replies, post },
    settings: () => settings,
    engine: opener.engine,
    openAgain: opener.openAgain,
    leave: () => [opener.end, announcement.end, saver.close, publisher.dispose].forEach((end) => end()),
  });
  const door = createDoor({
    ...{ env, model, opener, mailbox, replies, publisher, closeUnopened },
    use: () => (id ??= env.id()),
  });

  function takeSnapshot(): SessionSnapshot {
    const [title, persistence, waiting] = [saver.title(), saver.persistence(), mailbox.waiting()];
    const moment = { id, title, persistence, waiting, settings, model: model(), state: journal.state() };
    return (snapshot = snapshotOf(moment, snapshot));
  }

  function onEvent(event: AgentEvent, state: AgentState): void {
    const retrying = retriesAfter(model().retrying, event);
    if (retrying !== model().retrying) post({ type: 'retrying', retrying });
    if (savingEvents.has(event.type)) saver.schedule();
    publisher.touch();
    listeners.notify({ event, state });
    callSafely(() => settings.onEvent?.(event, state));
  }

  const session: AgentSession = {
    ...createCommands(door, {
      env,
      agent: () => settings.agent,
      onBusy: () => settings.onBusy ?? 'queue',
    }),
    id: () => id,
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
    settings: () => settings,
    configure(next) {
      const isResumed = next.resume === true && settings.resume !== true && model().phase === 'open';
      settings = next;
      publisher.setMode(next.publish ?? 'frame');
      if (isResumed) door.tell((commandId) => ({ type: 'resume', id: commandId, isAutomatic: true }));
      publisher.touch();
    },
    flush: () => saver.flush().then(() => undefined),
    dispose: door.dispose,
  };
  return session;
}
