import type { EventBuffer } from '@vitrine/core/events';
import { createRecorder, type Recorder } from '@vitrine/core/inspect';

/** Time in milliseconds for which a record waits for the panel to return. */
const patience = 2000;

let kept: { readonly recorder: Recorder; readonly timer: ReturnType<typeof setTimeout> } | null = null;

/**
 * Returns the recorder of a panel that was just unmounted, otherwise a new one. A hot reload unmounts and
 * remounts the panel and must not lose the record.
 */
export function takeRecorder(buffer: EventBuffer): Recorder {
  if (kept === null) return createRecorder({ buffer });
  const { recorder, timer } = kept;
  clearTimeout(timer);
  kept = null;
  // The kept recorder has the same events.
  buffer.end();
  return recorder;
}

/** Disposes of a recorder, unless a panel takes it within two seconds. */
export function leaveRecorder(recorder: Recorder): void {
  if (kept !== null) {
    clearTimeout(kept.timer);
    kept.recorder.dispose();
  }
  const timer = setTimeout(() => {
    kept = null;
    recorder.dispose();
  }, patience);
  kept = { recorder, timer };
}
