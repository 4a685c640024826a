let isLeaving = false;
let isListening = false;

/** Watches for a page that leaves, which gets no lock any more: its work runs at once. */
function listen(): void {
  if (isListening || typeof window === 'undefined') return;
  isListening = true;
  // Capturing listeners run first, so this one runs before those that save.
  window.addEventListener('pagehide', () => (isLeaving = true), { capture: true });
  window.addEventListener('pageshow', () => (isLeaving = false), { capture: true });
}

/** True where Web Locks exist. */
export function hasLocks(): boolean {
  return typeof navigator !== 'undefined' && typeof navigator.locks?.request === 'function';
}

/**
 * Runs `run` while no other tab runs one of the same name. Without locks it runs at once, with `isHeld`
 * false.
 */
export async function underLock<Value>(
  name: string,
  run: (isHeld: boolean) => Value | Promise<Value>,
): Promise<Value> {
  if (!hasLocks()) return run(false);
  listen();
  if (isLeaving) return run(false);
  let isRun = false;
  const once = (): Value | Promise<Value> => {
    isRun = true;
    return run(true);
  };
  try {
    return (await navigator.locks.request(name, once)) as Value;
  } catch (thrown) {
    // Without permission for locks there is nothing to wait for.
    if (isRun) throw thrown;
    return run(false);
  }
}
