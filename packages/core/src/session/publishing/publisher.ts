import type { Env } from '../../graph/env.ts';
import { type FrameScheduler } from '../../kit/frame-scheduler.ts';
import { createFrameGate, type PublishMode } from '../../kit/frame-gate.ts';
import { callSafely } from '../../kit/listeners.ts';
import type { SessionSnapshot, WritableSnapshotStore } from '../agent-session.ts';

/** Publishes snapshots of a session as often as its mode allows. */
export type Publisher = {
  /** Notes that something may have changed. */
  readonly touch: () => void;
  /** Publishes pending changes now. */
  readonly flush: () => void;
  /** Publishes nothing during `work`, so that no listener sees a half-changed session. */
  readonly during: (work: () => void) => void;
  /** Sets the frame scheduler; all sessions of a page share one. */
  readonly join: (frames: FrameScheduler) => void;
  readonly setMode: (mode: PublishMode) => void;
  readonly dispose: () => void;
};

/** Creates a publisher. `make` returns the current snapshot, or the last one when nothing changed. */
export function createPublisher(
  store: WritableSnapshotStore,
  make: () => SessionSnapshot,
  firstMode: PublishMode,
  { schedule }: Env,
): Publisher {
  let mode = firstMode;
  let published: SessionSnapshot | null = null;
  let held: { isFlushed: boolean } | null = null;

  function publish(): void {
    const next = make();
    if (next === published) return;
    published = next;
    // A foreign store may call listeners that throw.
    callSafely(() => store.setState(next, true));
  }

  const gate = createFrameGate({ publish, mode: () => mode, schedule });
  return {
    touch() {
      if (held === null) gate.touch();
    },
    flush() {
      if (held === null) gate.flush();
      else held.isFlushed = true;
    },
    during(work) {
      const mine = { isFlushed: false };
      held = mine;
      callSafely(work);
      held = null;
      gate.touch();
      if (mine.isFlushed) gate.flush();
    },
    setMode(next) {
      if (next === mode) return;
      mode = next;
      gate.flush();
    },
    join: gate.join,
    dispose: gate.dispose,
  };
}
