import type { Env } from '../../graph/env.ts';
import { createFrameGate, type PublishMode } from '../../kit/frame-gate.ts';
import type { FrameScheduler } from '../../kit/frame-scheduler.ts';
import { callSafely } from '../../kit/listeners.ts';
import type { SessionSnapshot, WritableSnapshotStore } from '../agent-session.ts';

/** Publishes what a session has become, as often as its mode allows. */
export type Publisher = {
  /** Something has changed. */
  readonly touch: () => void;
  /** Publishes now what waits. */
  readonly flush: () => void;
  /** Publishes nothing while the work goes on, so that nobody sees a session half changed. */
  readonly during: (work: () => void) => void;
  /** Whose frames it uses from now on: all sessions of a page share theirs. */
  readonly join: (frames: FrameScheduler) => void;
  readonly setMode: (mode: PublishMode) => void;
  readonly dispose: () => void;
};

/**
 * `make` gives the snapshot of the moment: the one before when nothing is different.
 */
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
    // A store of somebody else may call listeners that throw.
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
