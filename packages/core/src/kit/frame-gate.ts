export type PublishMode = 'frame' | 'immediate' | number;

/** Coalesces changes: the first is published at once, the others together when the gate opens again. */
export type FrameGate = {
  /** Something has changed. */
  readonly touch: () => void;
  /** Publishes now what waits. */
  readonly flush: () => void;
  readonly dispose: () => void;
};

/** When a page is hidden, or there are no frames at all, the gate opens after this many milliseconds. */
const frameTimeoutMs = 250;

export function createFrameGate(publish: () => void, mode: PublishMode): FrameGate {
  let isDirty = false;
  let cancelWait: (() => void) | null = null;

  function open(): void {
    cancelWait = null;
    if (!isDirty) return;
    isDirty = false;
    publish();
    cancelWait = wait(mode, open);
  }

  return {
    touch() {
      isDirty = true;
      if (mode === 'immediate') {
        isDirty = false;
        publish();
      } else if (cancelWait === null) open();
    },
    flush() {
      if (!isDirty) return;
      isDirty = false;
      publish();
    },
    dispose() {
      cancelWait?.();
      cancelWait = null;
      isDirty = false;
    },
  };
}

function wait(mode: PublishMode, then: () => void): () => void {
  if (typeof mode === 'number') {
    const timer = setTimeout(then, mode);
    return () => clearTimeout(timer);
  }
  if (typeof requestAnimationFrame !== 'function') {
    const timer = setTimeout(then, 16);
    return () => clearTimeout(timer);
  }
  // A page that is hidden in between gets no more frames, so a timer stands by.
  const cancel = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const once = (): void => {
    cancel();
    then();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, frameTimeoutMs);
  return cancel;
}
