import { Worker } from 'node:worker_threads';
import type { NextRequest } from './next-answers.ts';
import type { ReadCounts } from './record-texts.ts';
import type { FromReader, ReaderData, ToReader } from './reader-thread.ts';

/** Most milliseconds that the end of a program waits for what is not read yet. */
const patienceMs = 20_000;

type ReaderEvents = {
  /** It has read a body of a length. */
  readonly onRead: (bytes: number) => void;
  /** It has a message for the page, as JSON. */
  readonly onPage: (text: string) => void;
  /** A person wants the next answer to a recorded request. */
  readonly onNext: (request: NextRequest) => void;
};

/** The thread that reads what passes by. It may die alone. */
export class Reader {
  counts: ReadCounts = { read: 0, unread: 0, sessions: 0, dropped: 0, unsaved: 0, spans: 0 };
  isGone = false;
  readonly #worker: Worker;

  constructor(data: ReaderData, { onRead, onPage, onNext }: ReaderEvents) {
    const file = import.meta.url.endsWith('.ts') ? './reader-thread.ts' : './reader-thread.js';
    // Nothing that it prints may come between the lines of the program.
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: data,
      // Bodies are garbage soon: with less room for it the memory in use is half as much, and reading is faster.
      resourceLimits: { maxOldGenerationSizeMb: 1_000, maxYoungGenerationSizeMb: 16 },
      stdout: true,
      stderr: true,
    });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('message', (message: FromReader) => {
      if (message.type === 'page') return onPage(message.text);
      if (message.type === 'next') return onNext(message);
      this.counts = message.counts;
      if (message.type === 'read') onRead(message.bytes);
    });
    this.#worker.on('error', () => undefined);
    this.#worker.once('exit', () => (this.isGone = true));
  }

  post(message: ToReader): void {
    if (this.isGone) return;
    const bytes = 'bytes' in message ? message.bytes : null;
    this.#worker.postMessage(message, bytes === null ? [] : [bytes.buffer as ArrayBuffer]);
  }

  /** Resolves when all was read, or after a while. */
  async close(why: string, exitCode: number): Promise<void> {
    if (this.isGone) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, patienceMs).unref();
      this.#worker.once('exit', () => resolve());
      this.#worker.on('message', ({ type }: FromReader) => type === 'closed' && resolve());
      this.post({ type: 'close', why, exitCode });
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
