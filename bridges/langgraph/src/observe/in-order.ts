import { systemEnv } from '@vitrine/core';
import { textOf } from '@vitrine/inspect/internal/foreign/foreign-values';

/** An event of the Agent Streaming Protocol, as far as its place is read. */
export type ProtocolEvent = {
  readonly type?: unknown;
  readonly method?: unknown;
  readonly event_id?: unknown;
  readonly seq?: unknown;
  readonly params?: { readonly namespace?: unknown; readonly data?: unknown };
};

/** Milliseconds that an event waits for earlier ones on other connections, and that the end waits for silence. */
const waits = { event: 40, end: 250 } as const;
/** Most ids of events that are remembered. */
const mostSeen = 10_000;

export type InOrder = {
  readonly take: (event: ProtocolEvent) => void;
  /** Tells at once what still waits. */
  readonly flush: () => void;
};

/**
 * Tells each event of a thread once, in the order of `seq`. The client reads a thread over several connections at a
 * time, and each new one begins with what was told before.
 */
export function inOrder(
  onEvent: (event: ProtocolEvent) => void,
  isEnd: (event: ProtocolEvent) => boolean,
): InOrder {
  const seen = new Set<string>();
  let waiting: ProtocolEvent[] = [];
  /** True while the end of a run waits. */
  let hasEnd = false;
  let cancelEvent: (() => void) | null = null;
  let cancelEnd: (() => void) | null = null;

  function remember(id: string): void {
    seen.add(id);
    if (seen.size <= mostSeen) return;
    const [oldest = id] = seen;
    seen.delete(oldest);
  }

  function release(isAll: boolean): void {
    cancelEvent?.();
    cancelEvent = null;
    const sorted = waiting.sort((a, b) => seqOf(a) - seqOf(b));
    waiting = [];
    let count = 0;
    // Whether an event is an end may depend on those before it.
    for (const event of sorted) {
      if (!isAll && isEnd(event)) break;
      onEvent(event);
      count++;
    }
    waiting = [...sorted.slice(count), ...waiting];
    hasEnd = waiting.length > 0;
    if (hasEnd) cancelEnd ??= systemEnv.schedule(waits.end, flush);
  }

  function flush(): void {
    cancelEnd?.();
    cancelEnd = null;
    release(true);
  }

  return {
    take(event) {
      const id = textOf(event.event_id) ?? (typeof event.seq === 'number' ? `seq ${event.seq}` : null);
      if (id !== null && seen.has(id)) return;
      if (id !== null) remember(id);
      waiting.push(event);
      hasEnd ||= isEnd(event);
      cancelEvent ??= systemEnv.schedule(waits.event, () => release(false));
      if (!hasEnd) return;
      cancelEnd?.();
      cancelEnd = systemEnv.schedule(waits.end, flush);
    },
    flush,
  };
}

/** The number of an event in its thread; 0 when it has none. */
function seqOf({ seq }: ProtocolEvent): number {
  return typeof seq === 'number' ? seq : 0;
}
