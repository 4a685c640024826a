import { contentHash } from '../../../kit/content-hash.ts';

/** So long after a write another tab may not see it yet, in milliseconds. */
const lateMs = 1000;
/** How often a tab looks, in milliseconds; it also does when it hears of a change, which timers of a background tab miss. */
const lookMs = 5;

/** What others wrote last: the number of their write, and what stands there since. */
type Mark = { readonly number: number; readonly stamp: string };

const held = new Map<string, () => void>();

/**
 * Runs a write of storage that each tab sees through a copy of its own (localStorage), under a lock that the tab holds.
 * Such a copy is brought up to date a moment later than the lock changes hands, so who writes leaves word of what stands
 * there now, as the name of another lock: locks are the one thing that all tabs see at once. Who comes next waits
 * until its own copy says the same, or for a second.
 * @param look gives what stands there, as this tab sees it.
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

/** Resolves when everybody can see the mark; it goes by itself, or with the next one of this tab. */
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

/** A page that goes away waits for nothing. */
async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + lateMs;
  let isLeaving = false;
  while (!isSo() && !isLeaving && performance.now() < end) isLeaving = await nextChange();
}

/** @returns true when the page goes away. */
function nextChange(): Promise<boolean> {
  return new Promise((resolve) => {
    const heard = new AbortController();
    const done = (event?: Event): void => {
      clearTimeout(timer);
      heard.abort();
      resolve(event?.type === 'pagehide');
    };
    const timer = setTimeout(done, lookMs);
    for (const type of ['storage', 'pagehide'])
      globalThis.addEventListener?.(type, done, { signal: heard.signal, capture: true });
  });
}
