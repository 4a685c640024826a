let isLeaving = false;
let isListening = false;

/** A page that goes away does not get a lock any more: what it does then is done at once. */
function listen(): void {
  if (isListening || typeof window === 'undefined') return;
  isListening = true;
  // Before those who save: at the window itself, those who capture come first.
  window.addEventListener('pagehide', () => (isLeaving = true), { capture: true });
  window.addEventListener('pageshow', () => (isLeaving = false), { capture: true });
}

/** True where tabs can take turns. */
export function hasLocks(): boolean {
  return typeof navigator !== 'undefined' && typeof navigator.locks?.request === 'function';
}

/** Runs something while no other tab runs what has the same name; without locks at once, and told that it is not held. */
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
    // Where locks are forbidden there is no turn to wait for.
    if (isRun) throw thrown;
    return run(false);
  }
}
