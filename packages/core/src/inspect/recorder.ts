import { createListeners, type Listeners } from '../kit/listeners.ts';
import { type HubSource, type SessionHub, sessionHub } from '../session/hub.ts';
import { createJournalLog, type JournalLog, type RecordLimits } from './journal-log.ts';
import type { JournalRecord } from './journal-record.ts';

/** Writes down what the agents of the page do, for as long as they are announced. */
export type Recorder = {
  /** What was recorded of a source; the same value until there is more. */
  readonly read: (source: HubSource) => JournalRecord;
  /** Is told whenever there is more of the source. */
  readonly subscribe: (source: HubSource, listener: () => void) => () => void;
  /** Stops recording; what was recorded goes with the sources. */
  readonly dispose: () => void;
};

type Recording = {
  readonly log: JournalLog;
  readonly listeners: Listeners<void>;
  readonly stop: () => void;
};

/**
 * Records every source of the hub: those that come later from their first event, those that are there already from
 * now on (`missed` in their record says how many events came before). Without a recorder nothing is kept.
 */
export function createRecorder({
  hub = sessionHub(),
  ...limits
}: Partial<RecordLimits> & { readonly hub?: SessionHub } = {}): Recorder {
  const recordings = new Map<HubSource, Recording>();
  // What has gone may still be looked at for a moment, as it was.
  const ended = new WeakMap<HubSource, Recording>();

  function open({ journal }: HubSource): Omit<Recording, 'stop'> {
    const state = journal.state();
    const missed = state.seq - journal.base.seq;
    return {
      log: createJournalLog(journal.id, state, { ...limits, missed }),
      listeners: createListeners<void>(),
    };
  }

  function start(source: HubSource): Recording {
    const { log, listeners } = open(source);
    const stop = source.journal.subscribe((event, stateAfter) => {
      log.add(event, stateAfter);
      listeners.notify();
    });
    return { log, listeners, stop };
  }

  function end(source: HubSource, recording: Recording): void {
    recording.stop();
    recordings.delete(source);
    ended.set(source, recording);
  }

  function recordingOf(source: HubSource): Recording {
    const known = recordings.get(source) ?? ended.get(source);
    if (known) return known;
    const unheard = { ...open(source), stop: () => undefined };
    ended.set(source, unheard);
    return unheard;
  }

  function follow(): void {
    const sources = hub.sources();
    for (const source of sources) if (!recordings.has(source)) recordings.set(source, start(source));
    for (const [source, recording] of recordings) if (!sources.includes(source)) end(source, recording);
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  return {
    read: (source) => recordingOf(source).log.read(),
    subscribe: (source, listener) => recordingOf(source).listeners.add(listener),
    dispose() {
      leaveHub();
      for (const [source, recording] of recordings) end(source, recording);
    },
  };
}
