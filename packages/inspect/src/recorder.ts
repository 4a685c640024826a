import type { AgentState } from '@vitrine/core/internal/graph/types';
import { createListeners, type Listeners } from '@vitrine/core/internal/kit/listeners';
import {
  type HubSource,
  type SessionHub,
  sessionHub,
  type SourceKnowledge,
} from '@vitrine/core/internal/session/hub';
import { bufferEvents, type EventBuffer } from './events.ts';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import { facts, type JournalRecord } from './journal-record.ts';
import { withPast } from './with-past.ts';

/** Records the agents of the page while they are announced. */
export type Recorder = {
  /** The record of a source and of the earlier journals of its session; the same value until there is more. */
  readonly read: (source: HubSource) => JournalRecord;
  /** Calls the listener whenever the source has more. The first one also reads the stored part of the session. */
  readonly subscribe: (source: HubSource, listener: () => void) => () => void;
  /**
   * Announces a record from elsewhere for display, in place of one shown before under the same id. With `agent`, its
   * runs can be replayed and forked. Returns its source and a function that removes it; the end of the recorder removes it too.
   */
  readonly show: (
    shown: Pick<HubSource, 'id' | 'name' | 'agent'>,
    record: JournalRecord,
  ) => { readonly source: HubSource; readonly remove: () => void };
  /** Stops recording and drops the records with their sources. */
  readonly dispose: () => void;
};

type Recording = { log: JournalLog; readonly listeners: Listeners<void>; hasAsked: boolean };

/** Number of removed sessions that are remembered in case they return. */
const maxEnded = 8;

/** Options of a recorder. */
export type RecorderOptions = Partial<RecordLimits> & {
  /** The hub to record. Default: that of this page. */
  readonly hub?: SessionHub;
  /** Events that were buffered before the recorder was loaded; it ends with the recorder. Default: listening starts now. */
  readonly buffer?: EventBuffer;
};

/**
 * Creates a recorder of every source of the hub. Later sources are recorded from their first event, present ones from
 * now on; `missed` in their record counts earlier events. A new journal of a session continues the session's record,
 * also when the session was closed in between. Without a recorder nothing is kept.
 */
export function createRecorder({
  hub = sessionHub(),
  buffer = bufferEvents(hub),
  ...limits
}: RecorderOptions = {}): Recorder {
  const recordings = new Map<HubSource, Recording>();
  const ended = new Map<string, Recording>();
  // Removed sources may still be displayed for a moment.
  const gone = new WeakMap<HubSource, Recording>();
  const foreign = new Map<HubSource, () => void>();

  /** The recording of a removed session with the same id, or else a new one. */
  function takeRecording(source: HubSource, state: AgentState): Recording {
    const before = ended.get(source.id);
    if (before === undefined) return openRecording(source, state, limits);
    ended.delete(source.id);
    before.log.goOn(source.journal.id, state);
    return before;
  }

  function end(source: HubSource, recording: Recording): void {
    recordings.delete(source);
    gone.set(source, recording);
    if (foreign.delete(source)) return;
    ended.delete(source.id);
    ended.set(source.id, recording);
    const [oldest] = ended.size > maxEnded ? ended.keys() : [];
    if (oldest !== undefined) ended.delete(oldest);
  }

  function recordingOf(source: HubSource): Recording {
    const known = recordings.get(source) ?? gone.get(source);
    if (known) return known;
    const unannounced = openRecording(source, source.journal.state(), limits);
    gone.set(source, unannounced);
    return unannounced;
  }

  function follow(sources: ReadonlyMap<HubSource, AgentState>): void {
    // Removed sources first, because their successors continue their records.
    for (const [source, recording] of recordings) if (!sources.has(source)) end(source, recording);
    for (const [source, state] of sources) if (!recordings.has(source)) start(source, state);
  }

  function start(source: HubSource, state: AgentState): void {
    try {
      recordings.set(source, takeRecording(source, state));
    } catch {
      // An unreadable source must not stop the others; reading it reports the error.
    }
  }

  buffer.forwardTo((event) => {
    if ('sources' in event) return follow(event.sources);
    const recording = recordings.get(event.source);
    recording?.log.add(event.event, event.stateAfter);
    recording?.listeners.notify();
  });
  return {
    read: (source) => withKnowledge(recordingOf(source).log.read(), source.knows),
    subscribe(source, listener) {
      const recording = recordingOf(source);
      void askPast(recording, source, limits);
      return recording.listeners.add(listener);
    },
    show(shown, record) {
      const source = foreignSource(shown, record);
      const before = [...foreign.keys()].find(({ id }) => id === shown.id);
      recordings.set(source, shownRecording(record));
      const remove = hub.register(source, before);
      foreign.set(source, remove);
      return { source, remove };
    },
    dispose() {
      for (const remove of foreign.values()) remove();
      buffer.end();
      for (const [source, recording] of recordings) end(source, recording);
    },
  };
}

const known = new WeakMap<JournalRecord, JournalRecord>();

/** The record with what its source can tell: the same one while neither changes. */
function withKnowledge(record: JournalRecord, knows: SourceKnowledge | undefined): JournalRecord {
  if (knows === undefined) return record;
  const before = known.get(record);
  if (before?.knows !== undefined && facts.every((fact) => before.knows?.[fact] === knows[fact]))
    return before;
  const next = {
    ...record,
    knows: { prompt: knows.prompt, usage: knows.usage, times: knows.times, results: knows.results },
  };
  known.set(record, next);
  return next;
}

/** A recording that nothing is added to. */
function shownRecording(record: JournalRecord): Recording {
  const log = { read: () => record, add: () => undefined, goOn: () => undefined };
  return { log, listeners: createListeners(), hasAsked: true };
}

/** Reads the stored part of the session, once. */
async function askPast(
  recording: Recording,
  { past }: HubSource,
  limits: Partial<RecordLimits>,
): Promise<void> {
  if (recording.hasAsked || past === undefined) return;
  recording.hasAsked = true;
  // A store that cannot be read reports its own error.
  const found = await past().catch(() => null);
  if (found === null) return;
  recording.log = withPast(recording.log, found, limits);
  recording.listeners.notify();
}

/** A record as a source that can be displayed and does nothing. */
function foreignSource(
  { id, name, agent }: Pick<HubSource, 'id' | 'name' | 'agent'>,
  record: JournalRecord,
): HubSource {
  const base = record.pages[0]?.base ?? record.state;
  const journal = { id, base, state: () => record.state, subscribe: () => () => undefined };
  const knows = record.knows === undefined ? {} : { knows: record.knows };
  return { id, name, journal, ...(agent && { agent }), ...knows };
}

function openRecording({ journal }: HubSource, state: AgentState, limits: Partial<RecordLimits>): Recording {
  const missed = state.seq - journal.base.seq;
  const log = createJournalLog(journal.id, state, { ...limits, missed });
  return { log, listeners: createListeners<void>(), hasAsked: false };
}
