import { contentHash } from '@vitrine/core/internal/kit/hash';

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

export function hasLocks(): boolean {
  return typeof navigator !== 'undefined' && typeof navigator.locks?.request === 'function';
}

/** Runs `run` while no other tab runs one of the same name. Without locks it runs at once, with `isHeld` false. */
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

/** The longest time after which another tab sees a write, in milliseconds. */
const lateMs = 1000;
/** The interval of looks, in milliseconds. A change event also causes one, since timers of background tabs are slow. */
const lookMs = 5;

/** The last write: its number, and a hash of the content after it. */
type Mark = { readonly number: number; readonly stamp: string };

const held = new Map<string, () => void>();

/**
 * Runs a write under a lock when every tab sees the storage through a copy of its own (localStorage). Such a
 * copy is updated a moment after the lock changes hands.
 * The writer therefore leaves a mark of the new content as the name of another lock, because all tabs see
 * locks at once. The next writer waits until its own copy matches the mark, or for a second.
 * @param look returns the content that this tab sees
 */
export async function seenByAll<Value>(
  name: string,
  look: () => string | null,
  write: () => Value,
): Promise<Value> {
  const stampNow = (): string => contentHash(look() ?? '');
  const last = await lastMark(name);
  if (last !== null) await until(() => stampNow() === last.stamp);
  const before = stampNow();
  const value = write();
  const stamp = stampNow();
  if (stamp !== before) await leave(name, { number: (last?.number ?? 0) + 1, stamp });
  return value;
}

async function lastMark(name: string): Promise<Mark | null> {
  const { held: locks = [] } = await navigator.locks.query();
  const start = `${name} at `;
  const marks = locks.flatMap((lock): Mark[] => {
    if (lock.name?.startsWith(start) !== true) return [];
    const [number, stamp = ''] = lock.name.slice(start.length).split(' ');
    return [{ number: Number(number), stamp }];
  });
  return marks.reduce<Mark | null>((last, mark) => (mark.number > (last?.number ?? 0) ? mark : last), null);
}

/** Leaves a mark and resolves when every tab can see it. It ends by itself, or with the next mark of this tab. */
function leave(name: string, { number, stamp }: Mark): Promise<void> {
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> =>
      new Promise((release) => {
        resolve();
        held.get(name)?.();
        held.set(name, release);
        setTimeout(release, lateMs);
      });
    navigator.locks.request(`${name} at ${number} ${stamp}`, { mode: 'shared' }, hold).catch(reject);
  });
}

/** Waits until `isSo` holds, for at most a second. A page that leaves does not wait. */
async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + lateMs;
  let isLeaving = false;
  while (!isSo() && !isLeaving && performance.now() < end) isLeaving = await nextChange();
}

/** Waits for the next look. @returns true when the page leaves */
function nextChange(): Promise<boolean> {
  return new Promise((resolve) => {
    const listening = new AbortController();
    const settle = (event?: Event): void => {
      clearTimeout(timer);
      listening.abort();
      resolve(event?.type === 'pagehide');
    };
    const timer = setTimeout(settle, lookMs);
    for (const type of ['storage', 'pagehide'])
      globalThis.addEventListener?.(type, settle, { signal: listening.signal, capture: true });
  });
}
