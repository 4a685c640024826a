import type { LinkMessage } from '@vitrine/persist/internal/link/protocol';

/** The place of the last message that a tab has. */
export type StreamPlace = NonNullable<Extract<LinkMessage, { readonly type: 'hello' }>['seen']>;

/** The membership of a tab in the group of those that follow one session for one person, over one event stream. */
export type StreamGroup = NonNullable<ReturnType<typeof joinStreamGroup>>;

export type StreamGroupEvents = {
  /** Called when this tab becomes the holder. */
  readonly onTurn: () => void;
  readonly onEvent: (data: string) => void;
  /** Called when the holder tells its place. */
  readonly onPlace: (place: StreamPlace | null) => void;
  /** Called when another tab asks for the place of the holder. */
  readonly onAsked: () => void;
  /** Called when no holder answers. */
  readonly onSilence: () => void;
};

type GroupMessage =
  | { readonly type: 'event'; readonly data: string }
  | { readonly type: 'place'; readonly place: StreamPlace | null }
  | { readonly type: 'ask' };

/** The silence of a holder after which a tab asks, and the time for the answer, in milliseconds. */
const silenceMs = { ask: 2000, answer: 1000 };

/**
 * Joins the tabs of this browser that follow the same session. Null where they cannot find each other: without locks, as
 * over plain http, and outside of pages.
 */
export function joinStreamGroup(name: string, events: StreamGroupEvents) {
  if (!canShare()) return null;
  const lock = createStreamLock(`vitrine:stream:${name}`, () => {
    if (lock.isHeld()) clearTimeout(timer);
    if (lock.isHeld()) events.onTurn();
    else askLater();
  });
  const channel = new BroadcastChannel(`vitrine:stream:${name}`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const post = (message: GroupMessage): void => channel.postMessage(message);

  function ask(): void {
    clearTimeout(timer);
    if (lock.isHeld()) return;
    post({ type: 'ask' });
    timer = setTimeout(() => {
      askLater();
      events.onSilence();
    }, silenceMs.answer);
  }

  function askLater(): void {
    clearTimeout(timer);
    timer = setTimeout(ask, silenceMs.ask);
  }

  channel.addEventListener('message', ({ data }: MessageEvent<GroupMessage>) => {
    if (data.type === 'ask') return events.onAsked();
    // A frozen holder that was robbed hears the new one, as the others do.
    if (!lock.isHeld()) askLater();
    if (data.type === 'event') events.onEvent(data.data);
    else if (!lock.isHeld()) events.onPlace(data.place);
  });
  lock.queue();
  askLater();
  return {
    /** True while this tab holds the lock of the stream, so that it gives the events to the others. */
    isHolder: lock.isHeld,
    /** Gives an event of the server to the other tabs. */
    give: (data: string): void => post({ type: 'event', data }),
    /** Tells the others the place of the holder. */
    announce: (place: StreamPlace | null): void => post({ type: 'place', place }),
    /** Asks the holder for its place. Silence is told after a while. */
    ask,
    /** Takes the lock from a holder that is frozen. */
    steal: lock.steal,
    /** Queues for the lock, as a tab does that is seen. */
    queue: lock.queue,
    /** Gives the lock to the next tab, and does not queue. */
    pass: lock.release,
    leave(): void {
      clearTimeout(timer);
      lock.release();
      channel.close();
    },
  };
}

function canShare(): boolean {
  if (typeof document === 'undefined' || typeof navigator.locks?.request !== 'function') return false;
  try {
    new BroadcastChannel('vitrine').close();
    return true;
  } catch {
    // There is none, or the browser blocks the data of sites.
    return false;
  }
}

/**
 * Creates a lock that one tab holds at a time. `onChange` is called when this tab gets it, and when another tab steals it.
 */
function createStreamLock(name: string, onChange: () => void) {
  /** The request of this tab; null while it does not queue. */
  let request: AbortController | null = null;
  let isHeld = false;
  let giveBack = (): void => undefined;

  function begin(steal: boolean): void {
    release();
    const mine = (request = new AbortController());
    const hold = (): Promise<void> | undefined => {
      if (mine !== request) return undefined;
      const held = new Promise<void>((resolve) => (giveBack = resolve));
      isHeld = true;
      onChange();
      return held;
    };
    navigator.locks
      .request(name, steal ? { steal } : { signal: mine.signal }, hold)
      .catch((thrown: unknown) => {
        // Without permission for locks a tab never holds one; otherwise another tab stole it.
        if (mine !== request || !(thrown instanceof DOMException && thrown.name === 'AbortError')) return;
        begin(false);
        onChange();
      });
  }

  function release(): void {
    request?.abort();
    request = null;
    isHeld = false;
    giveBack();
  }

  return {
    isHeld: () => isHeld,
    queue: (): void => (request === null ? begin(false) : undefined),
    steal: (): void => begin(true),
    release,
  };
}

/** The time for which a page that nobody sees keeps its streams, in milliseconds. */
const hiddenMs = 10_000;
/** The number of streams that hidden tabs of a browser keep. HTTP/1.1 has six connections to a host for all tabs together. */
const hiddenStreams = 2;

/**
 * Watches the visibility of the page. A hidden page lets go of its stream after a while, unless it is one of the few of
 * its browser that keep theirs; a page that is seen takes it up again.
 */
export function watchAttention(onChange: (mayStream: boolean) => void) {
  if (typeof document === 'undefined') return { note: () => undefined, end: () => undefined };
  const places = Array.from({ length: canShare() ? hiddenStreams : 0 }, (_, at) =>
    createStreamLock(`vitrine:hidden-stream:${at}`, () => undefined),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look(): void {
    clearTimeout(timer);
    const isHidden = document.visibilityState === 'hidden';
    for (const place of places)
      if (isHidden) place.queue();
      else place.release();
    if (isHidden) timer = setTimeout(letGo, hiddenMs);
    else onChange(true);
  }

  function letGo(): void {
    const kept = places.find((place) => place.isHeld());
    for (const place of places) if (place !== kept) place.release();
    if (kept === undefined) onChange(false);
  }

  document.addEventListener('visibilitychange', look);
  look();
  return {
    /** Notes that something is done here, so that a hidden page has its stream for a while. */
    note(): void {
      if (document.visibilityState !== 'hidden') return;
      onChange(true);
      look();
    },
    end(): void {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
      for (const place of places) place.release();
    },
  };
}
