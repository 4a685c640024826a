import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { openBroadcast } from '@vitrine/persist/internal/link/browser-tabs';
import type { TabChannel } from '@vitrine/core/internal/session/store/tab-link';

/** A way between two pages. Messages are plain JSON, may be lost, and arrive in the order in which they were posted. */
export type RemoteChannel = {
  /** Opens a channel, as between the tabs of a session. It calls `onMessage` after it has returned. */
  readonly open: (onMessage: (message: unknown) => void) => TabChannel;
};

/** Connects pages of one origin in one browser by a BroadcastChannel of the name. Default: `vitrine-remote`. */
export function broadcastChannel(name = 'vitrine-remote'): RemoteChannel {
  return { open: (onMessage) => openBroadcast(name, onMessage) };
}

/**
 * Connects another window: an opener, a pop-up or a frame, also of another origin. Messages of other windows, or of
 * the same window after it navigated to another origin, are ignored, and none are sent to them.
 * @param origin The exact origin of the other window, as `https://tools.example:8443`.
 * @throws AgentError `remote-invalid` for `*` and for a value that is no origin.
 */
export function windowChannel(other: Window, origin: string): RemoteChannel {
  if (!isOrigin(origin))
    throw new AgentError(
      'remote-invalid',
      `windowChannel: ${JSON.stringify(origin)} is no origin. Give exactly that of the other window, as "https://tools.example".`,
    );
  return {
    open(onMessage) {
      const onEvent = (event: MessageEvent<unknown>): void => {
        if (event.source === other && event.origin === origin) onMessage(event.data);
      };
      window.addEventListener('message', onEvent);
      return {
        post: (message) => other.postMessage(message, origin),
        close: () => window.removeEventListener('message', onEvent),
      };
    },
  };
}

function isOrigin(text: string): boolean {
  try {
    const { origin } = new URL(text);
    return origin === text && origin !== 'null';
  } catch {
    return false;
  }
}
