/**
 * What is read piece by piece. One reads at a time: `read` is called again when a piece has been taken. It takes no promise
 * for each of them, which takes longer than a small event does.
 */
export type DirectSource<Piece> = {
  /** Calls `onPiece` once, at the end with null; or `onError`, after which nothing comes. May call before it returns. */
  readonly read: (onPiece: (piece: Piece | null) => void, onError: OnError) => void;
  /** Nobody reads it any more, also while a piece is waited for; one that comes all the same is not heard. May be called twice. */
  readonly cancel: (reason?: unknown) => void;
};

/** Takes what went wrong. */
export type OnError = (error: unknown) => void;

/** What a body is read from: whoever knows both ends goes without the web stream between them. */
export type DirectBody<Piece extends Uint8Array | string> = DirectSource<Piece>;

/** Where values change hands: at most one waits for the next at a time. */
export type Handover<Value> = {
  readonly isWaiting: () => boolean;
  readonly wait: (onValue: (value: Value) => void, onError: OnError) => void;
  /** To who waits, once; to nobody when nobody does. */
  readonly give: (value: Value) => void;
  readonly fail: OnError;
};

/** Nobody waits yet. */
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

/** The body as a web stream, for whoever does not know better; {@link directOf} gives back what it is read from. */
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

/** What a body of {@link bodyOf} is read from, in place of the body; null for any other. */
export function directOf(body: ReadableStream<Uint8Array> | null): DirectBody<Uint8Array | string> | null {
  return (body && directs.get(body)) ?? null;
}

/** Any body, as something to be read from. */
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
