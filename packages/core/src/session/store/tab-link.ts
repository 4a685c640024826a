/** A message channel between tabs. A posted message reaches the other tabs only, as a copy. */
export type TabChannel = { readonly post: (message: unknown) => void; readonly close: () => void };

/** The session of a channel, for a link to a server that has to address it. */
export type LinkedId = {
  readonly sessionId: string;
  readonly agentName: string;
  /** Called by a channel over a network when its connection changes. */
  readonly onConnection?: (connection: LinkConnection) => void;
};

/** The connection of a channel. `refused`: by a server that says why. */
export type LinkConnection = 'open' | 'reconnecting' | 'offline' | 'refused';

/**
 * The connection between tabs, or between sessions of one page: a lock that one of them holds at a time, and a channel.
 * Messages may be late and out of order; those of a tab that dies may be lost.
 */
export type TabLink = {
  /**
   * Requests the lock of a name. `onTurn` is called with false when another tab holds it, and with true when this tab
   * gets it. The returned function releases the lock or cancels the request; a tab that dies releases it.
   */
  readonly lock: (name: string, onTurn: (isHeld: boolean) => void) => () => void;
  /** The place of the session that holds the lock, as the snapshots of its followers say it. Default: `tab`. */
  readonly where?: 'tab' | 'server' | undefined;
  readonly open: (name: string, onMessage: (message: unknown) => void, session?: LinkedId) => TabChannel;
};

/** Opens a BroadcastChannel, which keeps no Node process alive. Null where the browser has or allows none. */
export function openBroadcastChannel(name: string): BroadcastChannel | null {
  if (typeof BroadcastChannel === 'undefined') return null;
  try {
    const channel = new BroadcastChannel(name);
    (channel as { unref?: () => void }).unref?.();
    return channel;
  } catch {
    return null;
  }
}
