/**
 * What a body is read from, piece by piece. One reads at a time: `read` is called again when a piece has been taken.
 * Whoever knows both ends goes without the web stream between them, of which each takes longer than a small event does.
 */
export type DirectBody<Piece extends Uint8Array | string> = {
  /** Calls `onPiece` once, at the end with null; or `onError`, after which nothing comes. May call before it returns. */
  readonly read: (onPiece: (piece: Piece | null) => void, onError: (error: unknown) => void) => void;
  /** Nobody reads it any more, also while a piece is waited for; one that comes all the same is not heard. May be called twice. */
  readonly cancel: (reason?: unknown) => void;
};

/** Who waits for a piece. */
export type Taker<Piece> = {
  readonly onPiece: (piece: Piece | null) => void;
  readonly onError: (error: unknown) => void;
};

/** Where pieces change hands: at most one waits for the next at a time. */
export type Handover<Piece> = {
  readonly isWaiting: () => boolean;
  readonly wait: (taker: Taker<Piece>) => void;
  /** Serves who waits, once; nobody when nobody does. */
  readonly serve: (serve: (taker: Taker<Piece>) => void) => void;
};

/** Nobody waits yet. */
export function createHandover<Piece>(): Handover<Piece> {
  let waiting: Taker<Piece> | null = null;
  return {
    isWaiting: () => waiting !== null,
    wait: (taker) => (waiting = taker),
    serve(serve) {
      const taker = waiting;
      waiting = null;
      if (taker !== null) serve(taker);
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
