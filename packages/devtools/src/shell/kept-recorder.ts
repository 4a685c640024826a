import type { SourcesHeard } from '@vitrine/core/hear';
import { createRecorder, type Recorder } from '@vitrine/core/inspect';

/** So long what was recorded waits for a panel that comes back, in milliseconds. */
const patience = 2000;

let kept: { readonly recorder: Recorder; readonly timer: ReturnType<typeof setTimeout> } | null = null;

/**
 * The recorder of a panel that was taken away just now, else a new one. An edit of the page while it is developed takes
 * the panel away and brings it again: that is no reason to forget what was recorded.
 */
export function takeRecorder(heard: SourcesHeard): Recorder {
  if (kept === null) return createRecorder({ heard });
  const { recorder, timer } = kept;
  clearTimeout(timer);
  kept = null;
  // It has heard the same.
  heard.end();
  return recorder;
}

/** Ends a recorder, unless a panel takes it up before long. */
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
