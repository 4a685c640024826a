import type { AgentState } from '../graph/types.ts';
import { createListeners, type Listeners } from '../kit/listeners.ts';
import { type HubSource, type SessionHub, sessionHub } from '../session/hub.ts';
import { hearSources, type SourcesHeard } from './hear-sources.ts';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import type { JournalRecord } from './journal-record.ts';
import { withPast } from './with-past.ts';

/** Writes down what the agents of the page do, for as long as they are announced. */
export type Recorder = {
  /** What was recorded of a source and of the journals of its session before it; the same value until there is more. */
  readonly read: (source: HubSource) => JournalRecord;
  /** Is told whenever there is more of the source. The first to ask has what is stored of the session read. */
  readonly subscribe: (source: HubSource, listener: () => void) => () => void;
  /**
   * Announces a record that came from elsewhere, to be looked at, in the place of one that it has shown under the same id.
   * Returns its source, and what takes it off again, as the end of the recorder does.
   */
  readonly show: (
    shown: Pick<HubSource, 'id' | 'name'>,
    record: JournalRecord,
  ) => { readonly source: HubSource; readonly remove: () => void };
  /** Stops recording; what was recorded goes with the sources. */
  readonly dispose: () => void;
};

type Recording = {
  log: JournalLog;
  readonly listeners: Listeners<void>;
  hasAsked: boolean;
};

/** So many sessions that have left the page are remembered, for when they come again. */
const maxEnded = 8;

/** Where a recorder listens. */
export type RecorderOptions = Partial<RecordLimits> & {
  /** Default: the one of this page. */
  readonly hub?: SessionHub;
  /** What was heard of the hub before; it ends with the recorder. Default: nothing, it is heard from now on. */
  readonly heard?: SourcesHeard;
};

/**
 * Records every source of the hub: those that come later from their first event, those that are there already from
 * now on (`missed` in their record says how many events came before). A new journal of a session goes on in the record
 * of the one before, also when the session had been closed in between. Without a recorder nothing is kept.
 */
export function createRecorder({
  hub = sessionHub(),
  heard = hearSources(hub),
  ...limits
}: RecorderOptions = {}): Recorder {
  const recordings = new Map<HubSource, Recording>();
  const ended = new Map<string, Recording>();
  // What has gone may still be looked at for a moment, as it was.
  const gone = new WeakMap<HubSource, Recording>();
  const foreign = new Map<HubSource, () => void>();

  /** The recording of the session under the same id that has gone; else a new one. */
  function taken(source: HubSource, state: AgentState): Recording {
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
    const unheard = openRecording(source, source.journal.state(), limits);
    gone.set(source, unheard);
    return unheard;
  }

  function follow(sources: ReadonlyMap<HubSource, AgentState>): void {
    // What has gone first: what takes its place goes on with its record.
    for (const [source, recording] of recordings) if (!sources.has(source)) end(source, recording);
    for (const [source, state] of sources) if (!recordings.has(source)) start(source, state);
  }

  function start(source: HubSource, state: AgentState): void {
    try {
      recordings.set(source, taken(source, state));
    } catch {
      // What cannot be read is no reason to miss the others, and who looks at it is told.
    }
  }

  heard.tellTo((told) => {
    if ('sources' in told) return follow(told.sources);
    const recording = recordings.get(told.source);
    recording?.log.add(told.event, told.stateAfter);
    recording?.listeners.notify();
  });
  return {
    read: (source) => recordingOf(source).log.read(),
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
      heard.end();
      for (const [source, recording] of recordings) end(source, recording);
    },
  };
}

/** A record that nothing is added to. */
function shownRecording(record: JournalRecord): Recording {
  const log = { read: () => record, add: () => undefined, goOn: () => undefined };
  return { log, listeners: createListeners(), hasAsked: true };
}

/** Reads what is stored of the session, once. */
async function askPast(
  recording: Recording,
  { past }: HubSource,
  limits: Partial<RecordLimits>,
): Promise<void> {
  if (recording.hasAsked || past === undefined) return;
  recording.hasAsked = true;
  // A store that cannot be read has its own way to say so.
  const found = await past().catch(() => null);
  if (found === null) return;
  recording.log = withPast(recording.log, found, limits);
  recording.listeners.notify();
}

/** A record as something that can be looked at and does nothing. */
function foreignSource({ id, name }: Pick<HubSource, 'id' | 'name'>, record: JournalRecord): HubSource {
  const base = record.pages[0]?.base ?? record.state;
  const journal = { id, base, state: () => record.state, subscribe: () => () => undefined };
  return { id, name, journal };
}

function openRecording({ journal }: HubSource, state: AgentState, limits: Partial<RecordLimits>): Recording {
  const missed = state.seq - journal.base.seq;
  const log = createJournalLog(journal.id, state, { ...limits, missed });
  return { log, listeners: createListeners<void>(), hasAsked: false };
}
