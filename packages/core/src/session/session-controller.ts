import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentChange } from '../run/events.ts';
import type { Journal } from '../run/journal.ts';
import { runOnJournal } from '../run/run-on-journal.ts';
import type { PersistenceState, SessionCommands, SessionSettings } from './agent-session.ts';
import { AgentError, isAgentError } from '../kit/agent-error.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import { attachingHandler } from './attaching-handler.ts';
import { checkedInput } from './checked-input.ts';
import { onJournalEvent, type EventListeners } from './on-journal-event.ts';
import { createAnnouncement, type StoredPast } from './hub.ts';
import { createPerformer } from './perform.ts';
import type { Work } from './publishing/progress.ts';
import { forkedRecord } from './saving/forked-record.ts';
import { createProcessor } from './processor.ts';
import type { Publisher } from './publishing/publisher.ts';
import type { Replies } from './replies.ts';
import { createRunner } from './runner.ts';
import type { Saved } from './saving/saved.ts';
import { createSessionSaver } from './saving/session-saver.ts';
import type { HeadChange } from './saving/writer.ts';
import type { SessionInput } from './machine/session-input.ts';
import { createSessionJournal } from './session-journal.ts';
import { hasWork, type SessionModel } from './machine/session-model.ts';
import { queueOf } from './publishing/snapshot.ts';
import { unbegun } from './machine/queue.ts';
import { copyBlobs } from './stores/attachments.ts';
import { checkpointBefore } from './stores/live-record.ts';
import { storedPast } from './stored-past.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';
import { treeWithoutTransient, withoutTransientPlugins } from './saving/transient-plugins.ts';
import { createTabMembership, type Found, type TabJoining } from './tabs/tab-membership.ts';
import { createTakeUp, type Settled } from './take-up.ts';
import { watchSurroundings } from './watch-surroundings.ts';
import { workOf } from './publishing/work-of.ts';

/** The parts of a session that exist with the page, for those that are loaded later. */
export type ControllerOptions = {
  readonly env: Env;
  readonly sessions: SessionStore | undefined;
  /** The store of forks. */
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
  /** Called when no work is active any more. */
  readonly onLeave: () => void;
};

/**
 * The controller of a session in use. It joins a pure machine behind the mailbox, the journal with the agent's
 * state, and the parts that run, save and publish.
 */
export type SessionController = {
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly title: () => string;
  readonly persistence: () => PersistenceState;
  /** The current work of the run; null without one. */
  readonly work: () => Work | null;
  /** Passes an input to the machine and performs its effects. */
  readonly handle: (input: SessionInput) => void;
  /** Resolves with the record of a read that is under way. */
  readonly load: (begun: Promise<SessionRecord | null>) => Promise<Found>;
  /** True when no requested work is open or unsaved. */
  readonly isSettled: () => boolean;
  /** Resolves when all changes were written, or could not be, and a conflict is resolved. */
  readonly settled: () => Promise<Settled>;
};

export function createSessionController(options: ControllerOptions): SessionController {
  const { env, sessions, initialState, id, settings, publisher, mailbox, listeners, openAgain } = options;
  const { post } = mailbox;
  const [agent, announcement] = [(): AgentDefinition => settings().agent, createAnnouncement()];
  const agentVersion = (): string | null => agent().version;
  const joining = (): TabJoining => {
    const takeOver = (): void => openAgain(null);
    return { env, agentVersion, model, state: journal.state, saver, publisher, post, takeOver };
  };
  const handle = (input: SessionInput): void => processor.handle(input);
  const tabs = createTabMembership({ ...options, joining, saver: () => saver, handle });
  const { replies } = tabs;
  const checked = (input: SessionInput): SessionInput | null =>
    checkedInput(input, { agent: agent(), env, replies });
  const made = { journal: () => journal, saver: () => saver, perform: () => perform };
  const processor = createProcessor({ first: options.model, checked, publisher, ...made });
  const { model, afterwards } = processor;
  const told = { publisher, listeners, tell: tabs.hear };
  const onEvent = onJournalEvent({ model, settings, post, saver: () => saver, ...told });
  const journal = createSessionJournal({ env, initialState, onEvent, onJournal, onChange: onCommit });
  const onConflict = (): void => {
    const { onConflict: policy = 'rebase' } = settings();
    // While a conflict is being resolved, every write finds it again.
    if (model().conflict?.phase !== 'reading') post({ type: 'overtaken', policy, forkId: env.id() });
  };
  const heard = { onChange, onConflict, onLate: () => openAgain(null), takeHead: headTaker(mailbox) };
  const saver = createSessionSaver({ ...heard, sessions, env, read: whatToSave });
  const runs = { env, model, post, settings, journal: journal.current, runOnJournal };
  const runner = createRunner({ ...runs, whenStored: saver.whenStored, readBlob: blobReader(sessions) });
  const takeUp = createTakeUp({ mailbox, saver: () => saver, model, journal, kept: tabs.kept });
  const parts = { env, settings, journal, runner, saver, publisher, replies, post, fork, ...takeUp };
  const watched = { ...options, saver: { ...saver, ...tabs }, model, post, ...tabs };
  const { watchRun, end: stopWatching } = watchSurroundings(watched);
  const done = { afterwards, openAgain, watchRun, onLost: tabs.lost, leave: end };
  const perform = createPerformer({ ...parts, ...done });

  function onJournal(made: Journal): void {
    const past = (): Promise<StoredPast | null> => storedPast(sessions, id() ?? '', saver.flush);
    const asked = { budget: () => agent().budget, agent, past, isRunning: () => work() !== null };
    const commands = options.commands();
    announcement.show({ id: id() ?? '', name: agent().name, journal: made, ...asked, commands });
    tabs.begin(made.id);
    saver.begin(made);
  }

  function onChange(): void {
    publisher.touch();
    tabs.touch();
  }

  function onCommit(before: AgentState, event: AgentChange): void {
    const checkpoint = checkpointBefore(before, event, model().tree.checkpoints.at(-1));
    if (checkpoint !== null) post({ type: 'checkpoint', checkpoint });
  }

  function whatToSave(): Saved {
    return savedOf(id(), agent(), model(), journal.state());
  }

  function fork(state: AgentState, sessionId: string, end: number): Promise<void> {
    const saved = { ...whatToSave(), state, title: saver.title() };
    return saveFork(forkedRecord(withoutTransient(saved), { sessionId, end }, env), sessions, options.forks);
  }

  function end(): void {
    stopWatching();
    announcement.end();
    tabs.end();
    saver.close();
    options.onLeave();
  }

  const { handle: enter, isKeeping } = attachingHandler(tabs.handle, mailbox, () => {
    return { sessions, id: id() ?? '', replies, isRunning: model().run !== null };
  });
  const work = (): Work | null => workOf(model(), journal.state(), agent());
  const isSettled = (): boolean => !hasWork(model()) && !isKeeping() && areSettled(tabs, saver);
  return { ...tabs, model, state: journal.state, work, settled: takeUp.settled, handle: enter, isSettled };
}

/** Has the change of a head handled; false when the mailbox is closed, as while the stored session is read. */
function headTaker({ post, waiting }: Mailbox<SessionInput>): (change: HeadChange) => boolean {
  return (change) => {
    const input = { type: 'head-changed' as const, ...change };
    post(input);
    return !waiting().includes(input);
  };
}

function areSettled(...parts: readonly { readonly isSettled: () => boolean }[]): boolean {
  return parts.every((part) => part.isSettled());
}

function savedOf(id: string | null, agent: AgentDefinition, model: SessionModel, state: AgentState): Saved {
  const { title, draft, tree, phase } = model;
  const { name: agentName, plugins } = agent;
  const isUnread = phase === 'unreadable';
  return { ...tree, id, isUnread, agentName, plugins, state, title, queue: queueOf(unbegun(model)), draft };
}

/** The saved form of a session that is forked. */
function withoutTransient<Forked extends Saved>(saved: Forked): Forked {
  const state = withoutTransientPlugins(saved.state, saved.plugins);
  return { ...saved, ...treeWithoutTransient(saved, saved.plugins), state };
}

/** Returns the reader of stored files; null without a store. */
function blobReader(sessions: SessionStore | undefined): ((hash: string) => Promise<Blob | null>) | null {
  return sessions === undefined ? null : async (hash) => (await sessions.blobs?.get(hash)) ?? null;
}

/** Saves a forked session with its files. */
async function saveFork(
  record: SessionRecord,
  from: SessionStore | undefined,
  forks: SessionStore | undefined,
): Promise<void> {
  if (forks === undefined) throw noForks();
  await copyBlobs(record, from, forks);
  try {
    await forks.save(record, { expectedVersion: 0 });
  } catch (thrown) {
    // A fork id is unique, so the session was saved before and the answer was lost.
    if (!isAgentError(thrown, 'session-conflict')) throw thrown;
  }
}

function noForks(): AgentError {
  return new AgentError(
    'session-storage',
    'fork(): there is no store to put the new session into. Give the session `sessions`, or `forks`.',
  );
}
