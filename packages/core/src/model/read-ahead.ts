/** About half a frame, in milliseconds: finer steps would not be visible. */
const momentMs = 8;
/** Most bytes that may wait to be taken; beyond that the sender has to wait. */
const most = 1024 * 1024;

/** Callbacks that measure silence: `begin` when the body is awaited, `end` when a piece came. */
export type Silence = { readonly begin: () => void; readonly end: () => void };

/**
 * Reads a body. A piece is delivered at once after a quiet moment and at the end of the body, and otherwise together
 * with the rest of the moment. The work for a delivery is then done once for all its pieces.
 */
export function readAhead(reader: ReadableStreamDefaultReader<Uint8Array>, silence: Silence) {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isReading = false;
  let isOver = false;
  let failed: { readonly why: unknown } | null = null;
  let handedAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let hand: (() => void) | null = null;

  function read(): void {
    if (isReading || isOver || size >= most) return;
    isReading = true;
    silence.begin();
    reader.read().then(
      ({ done, value }) => {
        isReading = false;
        silence.end();
        if (isOver) return;
        if (done) return end();
        pieces.push(value);
        size += value.byteLength;
        read();
        if (hand !== null) soon();
      },
      (why: unknown) => {
        failed = { why };
        end();
      },
    );
  }

  function end(): void {
    isOver = true;
    hand?.();
  }

  function soon(): void {
    // Browsers delay the timers of hidden pages, by up to a minute.
    const left = isHidden() ? 0 : handedAt + momentMs - performance.now();
    if (left <= 0) hand?.();
    else timer ??= setTimeout(() => hand?.(), left);
  }

  /** Returns all waiting pieces. @throws the error of the body, after its last piece */
  function takePieces(): readonly Uint8Array[] | null {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    hand = null;
    handedAt = performance.now();
    const found = pieces;
    pieces = [];
    size = 0;
    if (found.length > 0) return found;
    if (failed !== null) throw failed.why;
    return null;
  }

  return {
    /** Returns the pieces since the last call, of at most a moment; null at the end. Rejects when the body breaks. */
    next(): Promise<readonly Uint8Array[] | null> {
      read();
      return new Promise((resolve, reject) => {
        hand = () => {
          try {
            resolve(takePieces());
          } catch (thrown) {
            reject(thrown);
          }
        };
        if (isOver) hand();
        else if (pieces.length > 0) soon();
      });
    },
    close(): void {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** True in a page that nobody sees, which the browser may freeze. */
export function isHidden(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden';
}
