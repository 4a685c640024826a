import { hasLocks } from '../rows/under-lock.ts';
import {
  openBroadcastChannel,
  type TabChannel,
  type TabLink,
} from '@vitrine/core/internal/session/store/tab-link';

/**
 * The link between the tabs of one browser, through Web Locks and a BroadcastChannel. Null where one of them is missing
 * or refused.
 */
function browserTabs(): TabLink | null {
  // A browser may refuse a page its BroadcastChannel.
  const probe = hasLocks() ? openBroadcastChannel('vitrine') : null;
  probe?.close();
  return probe && { lock, open: openBroadcast };
}

function lock(name: string, onTurn: (isHeld: boolean) => void): () => void {
  const waiting = new AbortController();
  let giveBack = (): void => undefined;

  /** Holds the lock until `giveBack` is called. */
  function hold(): Promise<void> | undefined {
    if (waiting.signal.aborted) return undefined;
    const held = new Promise<void>((resolve) => (giveBack = resolve));
    onTurn(true);
    return held;
  }

  async function ask(): Promise<void> {
    const { locks } = navigator;
    let isTaken = false;
    await locks.request(name, { ifAvailable: true }, (found) => {
      isTaken = found === null;
      return isTaken ? undefined : hold();
    });
    if (!isTaken || waiting.signal.aborted) return;
    onTurn(false);
    await locks.request(name, { signal: waiting.signal }, hold);
  }

  ask().catch(() => {
    // Without permission for locks every tab leads; the store reports the conflicts.
    if (!waiting.signal.aborted) onTurn(true);
  });
  return () => {
    waiting.abort();
    giveBack();
  };
}

/** Opens the BroadcastChannel of a name. Without one, nobody hears what is posted. */
export function openBroadcast(name: string, onMessage: (message: unknown) => void): TabChannel {
  const channel = openBroadcastChannel(name);
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => onMessage(data));
  return { post: (message) => channel?.postMessage(message), close: () => channel?.close() };
}

/** The transport of a link, and the name of the lock and of the channel of its session. */
export type Transport = { readonly tabs: TabLink; readonly name: string };

/** The transport between the tabs of a session; null where tabs cannot find each other. */
export function transportOf(shared: string | TabLink, sessionId: string): Transport | null {
  const tabs = typeof shared === 'string' ? browserTabs() : shared;
  const store = typeof shared === 'string' ? shared : 'shared';
  return tabs && { tabs, name: `vitrine:${store}:${sessionId}` };
}
