import type { StreamLog } from './stream-log.ts';

/** Writes the entries of one stream; those of one tick, and those that come while a write is under way, go together. */
export type EntryWriter = {
  readonly push: (data: string) => void;
  /** Writes what waits with the last entry behind it. False when somebody else has ended the stream. */
  readonly end: (data: string) => Promise<boolean>;
};

/** One tick of the event loop, in which a chunk of the upstream becomes many events. */
const nextTick: (run: () => void) => unknown =
  (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run) => setTimeout(run, 0));

/** @param onRefused Called once, when the stream has ended elsewhere or is gone, or its log cannot be reached (`lost`). */
export function createEntryWriter(
  log: StreamLog,
  id: string,
  onRefused: (why: 'ended' | 'lost') => void,
): EntryWriter {
  let waiting: string[] = [];
  let isWriting = false;
  let isRefused = false;
  let onIdle: () => void = () => undefined;

  function write(): void {
    if (isRefused || waiting.length === 0) {
      isWriting = false;
      return onIdle();
    }
    const entries = waiting;
    waiting = [];
    log.append(id, entries).then(
      (isWritten) => (isWritten ? write() : refuse('ended')),
      () => refuse('lost'),
    );
  }

  function refuse(why: 'ended' | 'lost'): void {
    isRefused = true;
    write();
    onRefused(why);
  }

  return {
    push(data) {
      if (isRefused) return;
      waiting.push(data);
      if (isWriting) return;
      isWriting = true;
      nextTick(write);
    },
    async end(data) {
      if (isWriting) await new Promise<void>((resolve) => (onIdle = resolve));
      return !isRefused && log.append(id, [...waiting.splice(0), data], { ends: true });
    },
  };
}
