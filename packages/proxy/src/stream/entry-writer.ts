import type { StreamLog } from './stream-log.ts';

/**
 * Writes the entries of one stream. Entries of one tick, and those that arrive during a write, are written together.
 */
export type EntryWriter = {
  readonly push: (data: string) => void;
  /** Writes the pending entries and the last one. Rejects when the log cannot be reached. */
  readonly end: (data: string) => Promise<WrittenEnd>;
};

/** The fate of the last entry: it is written, somebody else had ended the stream, or the log could not be reached. */
export type WrittenEnd = 'written' | 'ended' | 'lost';

/** Waits one tick of the event loop, in which a chunk of the upstream becomes many events. */
const nextTick: (run: () => void) => unknown =
  (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run) => setTimeout(run, 0));

/** @param onRefused Called once, when the stream has ended elsewhere or is gone, or its log cannot be reached (`lost`). */
export function createEntryWriter(
  log: StreamLog,
  id: string,
  onRefused: (why: Exclude<WrittenEnd, 'written'>) => void,
): EntryWriter {
  const waiting: string[] = [];
  let isWriting = false;
  let refused: Exclude<WrittenEnd, 'written'> | null = null;
  let onIdle: () => void = () => undefined;

  async function write(): Promise<void> {
    try {
      while (refused === null && waiting.length > 0)
        if (!(await log.append(id, waiting.splice(0)))) refuse('ended');
    } catch {
      refuse('lost');
    }
    isWriting = false;
    onIdle();
  }

  function refuse(why: Exclude<WrittenEnd, 'written'>): void {
    refused = why;
    onRefused(why);
  }

  return {
    push(data) {
      if (refused !== null) return;
      waiting.push(data);
      if (isWriting) return;
      isWriting = true;
      nextTick(() => void write());
    },
    async end(data) {
      if (isWriting) await new Promise<void>((resolve) => (onIdle = resolve));
      if (refused !== null) return refused;
      const isWritten = await log.append(id, [...waiting.splice(0), data], { ends: true });
      return isWritten ? 'written' : 'ended';
    },
  };
}
