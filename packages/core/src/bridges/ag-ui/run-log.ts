import { createDeferred } from '../../kit/async.ts';
import type { AgUiEvent } from './protocol.ts';

/** Most characters of a log. The oldest events of a longer one are dropped, and cannot be read again. */
const mostLength = 16 * 2 ** 20;

/**
 * The events of one run as server-sent events. Each has the id `<run>.<number>`, behind which a client can read on.
 */
export class RunLog {
  readonly id = crypto.randomUUID();
  #frames: string[] = [];
  /** Number of the events that were dropped. */
  #dropped = 0;
  #length = 0;
  #isOver = false;
  #readers = 0;
  #isLeft = false;
  #changed = createDeferred<void>();
  readonly #onEmpty: () => void;

  /** @param onEmpty Called when the last reader has left before the end. */
  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True when it was read, and all readers have left. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  add(event: AgUiEvent): void {
    const number = this.#dropped + this.#frames.length + 1;
    const frame = `id: ${this.id}.${number}\ndata: ${JSON.stringify(event)}\n\n`;
    this.#frames.push(frame);
    this.#length += frame.length;
    if (this.#length > mostLength) this.#drop();
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The events behind the one of a number, and all later ones as they come; null when they are not kept. */
  read(from: number): ReadableStream<Uint8Array> | null {
    if (!Number.isInteger(from) || from < this.#dropped || from > this.#dropped + this.#frames.length)
      return null;
    let at = from;
    let isLeft = false;
    const encoder = new TextEncoder();
    this.#readers++;
    this.#isLeft = false;
    const leave = (): void => {
      if (isLeft) return;
      isLeft = true;
      this.#readers--;
      this.#isLeft = this.#readers === 0;
      this.#wake();
      if (this.#isLeft && !this.#isOver) this.#onEmpty();
    };
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (!isLeft && !this.#isOver && at >= this.#dropped + this.#frames.length)
          await this.#changed.promise;
        if (isLeft) return;
        if (at < this.#dropped) {
          leave();
          return controller.error(
            new Error('The events that follow are no longer kept; send the run again.'),
          );
        }
        const frames = this.#frames.slice(at - this.#dropped);
        at += frames.length;
        if (frames.length > 0) controller.enqueue(encoder.encode(frames.join('')));
        if (!this.#isOver) return;
        leave();
        controller.close();
      },
      cancel: leave,
    });
  }

  #drop(): void {
    const dropped = this.#frames.splice(0, Math.ceil(this.#frames.length / 2));
    this.#dropped += dropped.length;
    this.#length -= dropped.reduce((sum, frame) => sum + frame.length, 0);
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = createDeferred<void>();
    resolve();
  }
}
