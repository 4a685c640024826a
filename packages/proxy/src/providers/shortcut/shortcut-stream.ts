import type { ModelStream, ModelStreamReader } from '@vitrine/core/ai-sdk';
import { directFrom } from '../../kit/direct-body.ts';
import { createFeed } from './feed.ts';
import { createPartQueue, type PartQueue, type PartRead } from './part-queue.ts';
import { createShortcut, type Part, type Shortcut } from './shortcut.ts';
import { splitEvents } from './split-events.ts';

/** An answer of a provider on its way to a package. */
export type ShortcutStream = {
  /** The body that the package reads in place of the answer. */
  readonly body: ReadableStream<Uint8Array>;
  /** The parts that the package makes of the answer, mixed with the parts that needed no package. Called once. */
  readonly parts: (made: ModelStream<Part>) => ModelStream<Part>;
};

/** @param frameBytes How long an event may be. */
export function shortcutStream(answer: ReadableStream<Uint8Array>, frameBytes: number): ShortcutStream {
  const upstream = directFrom(answer);
  const shortcut = createShortcut();
  const splitter = splitEvents(frameBytes);
  const feed = createFeed(readOn, cancel);
  const queue = createPartQueue(onWanted);
  let makeOn: (() => void) | null = null;
  let isReading = false;
  let isOver = false;

  function finish(failure: { readonly error: unknown } | null): void {
    if (isOver) return;
    isOver = true;
    const last: string[] = [];
    shortcut.end(last);
    if (failure === null) last.push(splitter.rest());
    feed.add(last);
    feed.end(failure);
  }

  function take(piece: Uint8Array | string): void {
    const events: string[] = [];
    const fed: string[] = [];
    const error = splitter.push(piece, events);
    for (const event of events) {
      const value = shortcut.event(event, fed);
      if (value !== null) queue.give({ done: false, value });
    }
    feed.add(fed);
    if (error === null) return;
    upstream.cancel(error);
    finish({ error });
  }

  /**
   * While a package opens a stream, the package pulls its beginning. After that the reader does, so that nothing runs
   * ahead of it.
   */
  function readOn(): void {
    const isWanted = makeOn === null ? feed.isWanted() : queue.isWanted();
    if (isReading || isOver || !isWanted) return;
    isReading = true;
    upstream.read(onPiece, onError);
  }

  function onPiece(piece: Uint8Array | string | null): void {
    if (isOver) return;
    if (piece === null) return finish(null);
    take(piece);
    // The flag falls last: a reader that asks for more within the callback gets the other events before the next piece.
    isReading = false;
    readOn();
  }

  const onError = (error: unknown): void => finish({ error });

  function onWanted(): void {
    makeOn?.();
    readOn();
  }

  function cancel(reason: unknown): void {
    isOver = true;
    upstream.cancel(reason);
  }

  return {
    body: feed.body,
    parts(stream) {
      const reader = stream.getReader();
      makeOn = partMaker(reader, shortcut, queue);
      return streamOf(queue, async (reason) => {
        cancel(reason);
        await reader.cancel(reason);
      });
    },
  };
}

function streamOf(queue: PartQueue, cancel: (reason?: unknown) => Promise<void>): ModelStream<Part> {
  const read = (): Promise<PartRead> => new Promise((resolve, reject) => queue.take(resolve, reject));
  return { getReader: () => ({ readDirect: queue.take, read, cancel }) };
}

/** Reads the parts of a package while they are wanted. */
function partMaker(reader: ModelStreamReader<Part>, shortcut: Shortcut, queue: PartQueue): () => void {
  let isMaking = false;

  function makeOn(): void {
    if (isMaking || !queue.isWanted()) return;
    isMaking = true;
    reader.read().then(onMade).catch(queue.fail);
  }

  function onMade(read: PartRead): void {
    isMaking = false;
    if (read.done || shortcut.part(read.value)) queue.give(read);
    makeOn();
  }

  return makeOn;
}
