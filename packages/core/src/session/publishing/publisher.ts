import type { Env } from '../../graph/env.ts';
import { createFrameGate, type PublishMode } from '../../kit/frame-gate.ts';
import { callSafely } from '../../kit/listeners.ts';
import type { SessionSnapshot, WritableSnapshotStore } from '../agent-session.ts';

export type Publisher = ReturnType<typeof createPublisher>;

/** Creates a publisher of snapshots. `make` returns the current one, or the last when nothing changed. */
export function createPublisher(
  store: WritableSnapshotStore,
  make: () => SessionSnapshot,
  firstMode: PublishMode,
  { schedule }: Env,
) {
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
    /** Notes that something may have changed. */
    touch(): void {
      if (held === null) gate.touch();
    },
    /** Publishes pending changes now. */
    flush(): void {
      if (held === null) gate.flush();
      else held.isFlushed = true;
    },
    /** Publishes nothing during `work`, so that no listener sees a half-changed session. */
    during(work: () => void): void {
      const mine = { isFlushed: false };
      held = mine;
      callSafely(work);
      held = null;
      gate.touch();
      if (mine.isFlushed) gate.flush();
    },
    setMode(next: PublishMode): void {
      if (next === mode) return;
      mode = next;
      gate.flush();
    },
    /** Sets the frame scheduler; all sessions of a page share one. */
    join: gate.join,
    dispose: gate.dispose,
  };
}
