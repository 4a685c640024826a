import type { InferenceEvent } from '@vitrine/core';

/** Somebody who reads a log from an offset on. */
export type EventReader = {
  /** The next event as JSON with its number, as soon as there is one; null at the end, and once closed. */
  readonly next: () => Promise<{ readonly offset: number; readonly json: string } | null>;
  /** Ends a waiting `next`, too. May be called twice. */
  readonly close: () => void;
};

/** Events of one stream in their order, for any number of readers that come and go. */
export type EventLog = {
  readonly add: (event: InferenceEvent) => void;
  /** No more events will come. */
  readonly end: () => void;
  /** Settles when the foremost reader is near enough to the end of the log, or the log has ended. */
  readonly hasRoom: () => Promise<void>;
  readonly open: (offset: number) => EventReader;
  readonly readers: () => number;
  /** The first event, when it has come; null when there is none. */
  readonly first: () => Promise<InferenceEvent | null>;
  readonly last: () => InferenceEvent | null;
};

/** How many characters the log may be ahead of its foremost reader before there is no room for more. */
const maxAhead = 1024 * 1024;

/** @param onUnread Called whenever the last reader has left. */
export function createEventLog(onUnread: () => void): EventLog {
  /** Each event as JSON: written once, however many read it. */
  const lines: string[] = [];
  const readers = new Set<EventReader>();
  const waiting = new Set<() => void>();
  let first: InferenceEvent | null = null;
  let last: InferenceEvent | null = null;
  let isOver = false;
  /** How many events the foremost reader has taken, and the length of those behind them. */
  let taken = 0;
  let ahead = 0;

  const change = (): Promise<void> => new Promise((resolve) => waiting.add(resolve));

  function wake(): void {
    const woken = [...waiting];
    waiting.clear();
    for (const resolve of woken) resolve();
  }

  function take(offset: number): void {
    if (offset < taken) return;
    for (; taken <= offset; taken++) ahead -= lines[taken]?.length ?? 0;
    wake();
  }

  function open(offset: number): EventReader {
    let at = offset;
    let isClosed = false;
    const reader: EventReader = {
      async next() {
        while (!isClosed && at >= lines.length && !isOver) await change();
        const json = lines[at];
        if (isClosed || json === undefined) return null;
        take(at);
        return { offset: at++, json };
      },
      close() {
        isClosed = true;
        wake();
        if (readers.delete(reader) && readers.size === 0) onUnread();
      },
    };
    readers.add(reader);
    return reader;
  }

  return {
    add(event) {
      const json = JSON.stringify(event);
      lines.push(json);
      ahead += json.length;
      first ??= event;
      last = event;
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async hasRoom() {
      while (ahead > maxAhead && !isOver) await change();
    },
    open,
    readers: () => readers.size,
    async first() {
      while (first === null && !isOver) await change();
      return first;
    },
    last: () => last,
  };
}
