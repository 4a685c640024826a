/** About a frame, in milliseconds: nobody sees more of an answer than that. */
const momentMs = 8;
/** So much may wait to be taken, in bytes; then the sender has to wait. */
const most = 1024 * 1024;

/** The pieces of a body, several at once where they come faster than anybody looks. */
export type ReadAhead = {
  /** What has come since the last call, of a moment at most; null at the end. Rejects when the body breaks. */
  readonly next: () => Promise<readonly Uint8Array[] | null>;
  /** Nothing more is taken. */
  readonly close: () => void;
};

/** How long the body is silent can be watched: `begin` is called when it is waited for, `end` when something came. */
type Silence = { readonly begin: () => void; readonly end: () => void };

/**
 * Reads a body as it comes, and hands it over at once where nothing was handed over within the last moment, or the body
 * has ended; else with what else comes in that moment. All that is done for each piece is done once for all of them.
 */
export function readAhead(reader: ReadableStreamDefaultReader<Uint8Array>, silence: Silence): ReadAhead {
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
    // Browsers make the timers of hidden pages late, by a minute at worst.
    const left = isHidden() ? 0 : handedAt + momentMs - performance.now();
    if (left <= 0) hand?.();
    else timer ??= setTimeout(() => hand?.(), left);
  }

  /** All that is there. @throws what the body broke with, behind the last of it */
  function taken(): readonly Uint8Array[] | null {
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
    next() {
      read();
      return new Promise((resolve, reject) => {
        hand = () => {
          try {
            resolve(taken());
          } catch (thrown) {
            reject(thrown);
          }
        };
        if (isOver) hand();
        else if (pieces.length > 0) soon();
      });
    },
    close() {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function isHidden(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden';
}
