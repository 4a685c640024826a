import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env } from '../graph/env.ts';
import { type ErrorInfo, errorInfo } from '../graph/error-info.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentChange } from '../run/events.ts';
import type { Journal } from '../run/journal.ts';
import { runOnJournal } from '../run/run-on-journal.ts';
import type { PersistenceState, SessionCommands, SessionSettings } from './agent-session.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import { allViews } from './all-views.ts';
import { attachingHandler } from './attaching-handler.ts';
import { checkedInput } from './checked-input.ts';
import { createEventEar, type EventListeners } from './event-ear.ts';
import { createAnnouncement } from './hub.ts';
import { createPerformer } from './perform.ts';
import type { Work } from './progress.ts';
import { forkedRecord } from './forked-record.ts';
import { createProcessor } from './processor.ts';
import type { Publisher } from './publisher.ts';
import type { Replies } from './replies.ts';
import { createRunner } from './runner.ts';
import type { Saved } from './saving/saved.ts';
import { createSessionSaver, type SessionSaver } from './saving/session-saver.ts';
import type { SessionInput } from './session-input.ts';
import { createSessionJournal } from './session-journal.ts';
import { bringViews } from './later-views.ts';
import type { SessionModel } from './session-model.ts';
import { queueOf } from './snapshot.ts';
import { copyBlobs } from './stores/attachments.ts';
import { checkpointBefore } from './stores/live-record.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';
import { treeWithoutTransient, withoutTransientPlugins } from './saving/transient-plugins.ts';
import { watchSurroundings } from './watch-surroundings.ts';
import { workOf } from './work-of.ts';

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

type Found = { readonly record: SessionRecord | null; readonly error: ErrorInfo | null };

export function createWorks(options: WorksOptions): SessionWorks {
  bringViews(allViews);
  const { env, sessions, initialState, id, settings, publisher, replies, mailbox } = options;
  const { post } = mailbox;
  const agent = (): AgentDefinition => settings().agent;
  const announcement = createAnnouncement();
  const { model, handle, afterwards } = createProcessor({
    first: options.model,
    checked: (input) => checkedInput(input, { agent: agent(), env, replies }),
    journal: () => journal,
    saver: () => saver,
    publisher,
    perform: () => perform,
  });
  const { listeners, openAgain } = options;
  const onEvent = createEventEar({ model, settings, post, saver: () => saver, publisher, listeners });
  const journal = createSessionJournal({ env, initialState, onEvent, onJournal, onChange });
  const saver = createSessionSaver({
    sessions,
    env,
    read: whatToSave,
    onChange: publisher.touch,
    onConflict: () => void saver.wasRemoved().then((isRemoved) => isRemoved && post({ type: 'deleted' })),
  });
  const { whenStored } = saver;
  const runner = createRunner({
    env,
    model,
    post,
    settings,
    journal: journal.current,
    runOnJournal,
    whenStored,
    readBlob: sessions === undefined ? null : async (hash) => (await sessions.blobs?.get(hash)) ?? null,
  });
  const parts = { env, settings, journal, runner, saver, publisher, replies, post, fork };
  const perform = createPerformer({ ...parts, afterwards, openAgain, leave: end });
  const stopWatching = watchSurroundings({ sessions, id, saver, model, post });

  function onJournal(made: Journal): void {
    const budget = (): ExecutionBudget => agent().budget;
    const commands = options.commands();
    announcement.show({ id: id() ?? '', name: agent().name, journal: made, budget, commands });
    saver.begin(made);
  }

  function onChange(before: AgentState, event: AgentChange): void {
    const checkpoint = checkpointBefore(before, event, model().tree.checkpoints.at(-1));
    if (checkpoint !== null) post({ type: 'checkpoint', checkpoint });
  }

  function whatToSave(): Saved {
    const { title, queue, draft, tree } = model();
    const { name: agentName, plugins } = agent();
    const state = journal.state();
    return { ...tree, id: id(), agentName, plugins, state, title, queue: queueOf(queue), draft };
  }

  async function fork(sessionId: string, end: number): Promise<void> {
    const saved = whatToSave();
    const state = withoutTransientPlugins(saved.state, saved.plugins);
    const source = { ...saved, ...treeWithoutTransient(saved, saved.plugins), state, title: saver.title() };
    await saveFork(forkedRecord(source, { sessionId, end }, env), sessions, options.forks);
  }

  function end(): void {
    stopWatching();
    announcement.end();
    saver.close();
    options.onLeave();
  }

  const attached = attachingHandler(handle, mailbox, () => ({ sessions, id: id() ?? '', replies }));
  const work = (): Work | null => workOf(model(), journal.state(), agent());
  const { title, persistence, flush } = saver;
  const load: SessionWorks['load'] = (begun) => foundBy(saver.load(begun));
  return { model, state: journal.state, work, handle: attached, load, title, persistence, flush };
}

async function foundBy(reading: Promise<SessionRecord | null>): Promise<Found> {
  try {
    return { record: await reading, error: null };
  } catch (thrown) {
    return { record: null, error: errorInfo(thrown) };
  }
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
