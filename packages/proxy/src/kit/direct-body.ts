/**
 * A source that is read piece by piece, with one read at a time. It uses callbacks, because a promise per piece costs
 * more than a small event does.
 */
export type DirectSource<Piece> = {
  /**
   * Calls `onPiece` once with the next piece, or with null at the end. On failure calls `onError`, after which nothing
   * comes. Both may be called before `read` returns.
   */
  readonly read: (onPiece: (piece: Piece | null) => void, onError: OnError) => void;
  /** Ends the source, also while a read waits. Pieces that arrive later are ignored. May be called twice. */
  readonly cancel: (reason?: unknown) => void;
};

/** Receives the error of a source. */
export type OnError = (error: unknown) => void;

/** The source behind a body. Code that knows both ends reads it directly, without the web stream between them. */
export type DirectBody<Piece extends Uint8Array | string> = DirectSource<Piece>;

/** A hand-over of values, in which at most one reader waits at a time. */
export type Handover<Value> = {
  readonly isWaiting: () => boolean;
  readonly wait: (onValue: (value: Value) => void, onError: OnError) => void;
  /** Gives the value to the waiting reader, once; without one the value is dropped. */
  readonly give: (value: Value) => void;
  readonly fail: OnError;
};

/** Creates a hand-over in which nobody waits. */
export function createHandover<Value>(): Handover<Value> {
  let taking: ((value: Value) => void) | null = null;
  let failing: OnError | null = null;
  return {
    isWaiting: () => taking !== null,
    wait(onValue, onError) {
      taking = onValue;
      failing = onError;
    },
    give(value) {
      const onValue = taking;
      taking = null;
      onValue?.(value);
    },
    fail(error) {
      if (taking === null) return;
      taking = null;
      failing?.(error);
    },
  };
}

const directs = new WeakMap<ReadableStream<Uint8Array>, DirectBody<Uint8Array | string>>();
const encoder = new TextEncoder();

/** The body as a web stream. {@link directOf} returns the source behind it. */
export function bodyOf<Piece extends Uint8Array | string>(
  direct: DirectBody<Piece>,
): ReadableStream<Uint8Array> {
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (out) =>
        new Promise<void>((resolve, reject) => {
          direct.read((piece) => {
            if (isLeft) return resolve();

            if (piece === null) out.close();
            else out.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
            resolve();
          }, reject);
        }),
      cancel(reason) {
        isLeft = true;
        direct.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  directs.set(body, direct);
  return body;
}

/** The source behind a body of {@link bodyOf}; null for any other body. */
export function directOf(body: ReadableStream<Uint8Array> | null): DirectBody<Uint8Array | string> | null {
  return (body && directs.get(body)) ?? null;
}

/** Wraps any web stream as a direct source. */
export function directFrom(body: ReadableStream<Uint8Array>): DirectBody<Uint8Array | string> {
  const direct = directOf(body);
  if (direct !== null) return direct;
  const reader = body.getReader();
  return {
    read: (onPiece, onError) =>
      void reader.read().then(({ done, value }) => onPiece(done ? null : value), onError),
    cancel: (reason) => void reader.cancel(reason).catch(() => undefined),
  };
}
