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
  let writing: Promise<void> | null = null;
  let refused: 'ended' | 'lost' | null = null;

  async function write(): Promise<void> {
    await new Promise<void>((resolve) => nextTick(resolve));
    while (waiting.length > 0 && refused === null) {
      const entries = waiting;
      waiting = [];
      refused = await log.append(id, entries).then(
        (isWritten) => (isWritten ? null : 'ended'),
        () => 'lost' as const,
      );
    }
    writing = null;
    if (refused !== null) onRefused(refused);
  }

  return {
    push(data) {
      if (refused !== null) return;
      waiting.push(data);
      writing ??= write();
    },
    async end(data) {
      await writing;
      return refused === null && log.append(id, [...waiting.splice(0), data], { ends: true });
    },
  };
}
