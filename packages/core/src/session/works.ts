import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentChange } from '../run/events.ts';
import type { Journal } from '../run/journal.ts';
import { runOnJournal } from '../run/run-on-journal.ts';
import type { PersistenceState, SessionCommands, SessionSettings } from './agent-session.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import { allViews } from './conversation/all-views.ts';
import { attachingHandler } from './attaching-handler.ts';
import { checkedInput } from './checked-input.ts';
import { createEventEar, type EventListeners } from './event-ear.ts';
import { createAnnouncement, type StoredPast } from './hub.ts';
import { createPerformer } from './perform.ts';
import type { Work } from './publishing/progress.ts';
import { forkedRecord } from './saving/forked-record.ts';
import { createProcessor } from './processor.ts';
import type { Publisher } from './publishing/publisher.ts';
import type { Replies } from './replies.ts';
import { createRunner } from './runner.ts';
import type { Saved } from './saving/saved.ts';
import { createSessionSaver, type SessionSaver } from './saving/session-saver.ts';
import type { SessionInput } from './machine/session-input.ts';
import { createSessionJournal } from './session-journal.ts';
import { bringViews } from './conversation/later-views.ts';
import type { SessionModel } from './machine/session-model.ts';
import { queueOf } from './publishing/snapshot.ts';
import { unbegun } from './machine/queue.ts';
import { copyBlobs } from './stores/attachments.ts';
import { checkpointBefore } from './stores/live-record.ts';
import { storedPast } from './stored-past.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';
import { treeWithoutTransient, withoutTransientPlugins } from './saving/transient-plugins.ts';
import { createTabSeat, type Found, type TabJoining } from './tabs/tab-seat.ts';
import { watchSurroundings } from './watch-surroundings.ts';
import { workOf } from './publishing/work-of.ts';

/** What the page starts with of a session, for what comes later. */
export type WorksOptions = {
  readonly env: Env;
  readonly sessions: SessionStore | undefined;
  /** Where forks are put. */
  readonly forks: SessionStore | undefined;
  readonly initialState: AgentState | undefined;
  readonly id: () => string | null;
  readonly settings: () => SessionSettings;
  readonly model: SessionModel;
  readonly publisher: Publisher;
  readonly replies: Replies;
  readonly listeners: EventListeners;
  readonly commands: () => SessionCommands;
  readonly mailbox: Mailbox<SessionInput>;
  /** Reads the stored session again. */
  readonly openAgain: (commandId: string | null) => void;
  /** Nothing of it goes on any more. */
  readonly onLeave: () => void;
};

/**
 * What makes a session go once it is used: a pure machine behind the mailbox, the journal that holds the agent's state,
 * and what runs, saves and tells for them.
 */
export type SessionWorks = {
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly title: () => string;
  readonly persistence: () => PersistenceState;
  /** What the run that goes on is at; null when none does. */
  readonly work: () => Work | null;
  /** Gives the machine an input, and has done what it wants done. */
  readonly handle: (input: SessionInput) => void;
  /** What is stored, by a read that goes on already. */
  readonly load: (begun: Promise<SessionRecord | null>) => Promise<Found>;
} & Pick<SessionSaver, 'flush'>;

export function createWorks(options: WorksOptions): SessionWorks {
  bringViews(allViews);
  const { env, sessions, initialState, id, settings, publisher, mailbox, listeners, openAgain } = options;
  const { post } = mailbox;
  const agent = (): AgentDefinition => settings().agent;
  const announcement = createAnnouncement();
  const agentVersion = (): string | null => agent().version;
  const takeOver = (): void => openAgain(null);
  const joining = (): TabJoining => {
    return { env, agentVersion, model, state: journal.state, saver, publisher, post, takeOver };
  };
  const handle = (input: SessionInput): void => processor.handle(input);
  const seat = createTabSeat({ sessions, id, replies: options.replies, joining, saver: () => saver, handle });
  const { replies } = seat;
  const processor = createProcessor({
    first: options.model,
    checked: (input) => checkedInput(input, { agent: agent(), env, replies }),
    journal: () => journal,
    saver: () => saver,
    publisher,
    perform: () => perform,
  });
  const { model, afterwards } = processor;
  const told = { publisher, listeners, tell: seat.hear };
  const onEvent = createEventEar({ model, settings, post, saver: () => saver, ...told });
  const journal = createSessionJournal({ env, initialState, onEvent, onJournal, onChange: onCommit });
  const onConflict = (): void =>
    void seat.wasRemoved().then((isRemoved) => isRemoved && post({ type: 'deleted' }));
  const saver = createSessionSaver({ sessions, env, read: whatToSave, onChange, onConflict });
  const runs = { env, model, post, settings, journal: journal.current, runOnJournal };
  const runner = createRunner({ ...runs, whenStored: saver.whenStored, readBlob: blobReader(sessions) });
  const parts = { env, settings, journal, runner, saver, publisher, replies, post, fork };
  const perform = createPerformer({ ...parts, afterwards, openAgain, onLost: seat.lost, leave: end });
  const stopWatching = watchSurroundings({ sessions, id, saver: { ...saver, ...seat }, model, post });

  function onJournal(made: Journal): void {
    const past = (): Promise<StoredPast | null> => storedPast(sessions, id() ?? '', saver.flush);
    const asked = { budget: () => agent().budget, agent, past, isRunning: () => work() !== null };
    const commands = options.commands();
    announcement.show({ id: id() ?? '', name: agent().name, journal: made, ...asked, commands });
    seat.begin(made.id);
    saver.begin(made);
  }

  function onChange(): void {
    publisher.touch();
    seat.touch();
  }

  function onCommit(before: AgentState, event: AgentChange): void {
    const checkpoint = checkpointBefore(before, event, model().tree.checkpoints.at(-1));
    if (checkpoint !== null) post({ type: 'checkpoint', checkpoint });
  }

  function whatToSave(): Saved {
    const { title, draft, tree } = model();
    const { name: agentName, plugins } = agent();
    const state = journal.state();
    return { ...tree, id: id(), agentName, plugins, state, title, queue: queueOf(unbegun(model())), draft };
  }

  function fork(sessionId: string, end: number): Promise<void> {
    const saved = { ...whatToSave(), title: saver.title() };
    return saveFork(forkedRecord(withoutTransient(saved), { sessionId, end }, env), sessions, options.forks);
  }

  function end(): void {
    stopWatching();
    announcement.end();
    seat.end();
    saver.close();
    options.onLeave();
  }

  const attached = attachingHandler(seat.handle, mailbox, () => {
    return { sessions, id: id() ?? '', replies, isRunning: model().run !== null };
  });
  const work = (): Work | null => workOf(model(), journal.state(), agent());
  return { ...seat, model, state: journal.state, work, flush: saver.flush, handle: attached };
}

/** What is saved of a session that is forked. */
function withoutTransient<Forked extends Saved>(saved: Forked): Forked {
  const state = withoutTransientPlugins(saved.state, saved.plugins);
  return { ...saved, ...treeWithoutTransient(saved, saved.plugins), state };
}

/** Reads files of messages where they are kept; null without a store. */
function blobReader(sessions: SessionStore | undefined): ((hash: string) => Promise<Blob | null>) | null {
  return sessions === undefined ? null : async (hash) => (await sessions.blobs?.get(hash)) ?? null;
}

/** Saves a session of its own, with its files. */
async function saveFork(
  record: SessionRecord,
  from: SessionStore | undefined,
  forks: SessionStore | undefined,
): Promise<void> {
  if (forks === undefined) throw noForks();
  await copyBlobs(record, from, forks);
  await forks.save(record, { expectedVersion: 0 });
}

function noForks(): AgentError {
  return new AgentError(
    'session-storage',
    'fork(): there is no store to put the new session into. Give the session `sessions`, or `forks`.',
  );
}
