import { AgentError } from '../../kit/agent-error.ts';

/** A channel between two pages. Messages may be lost, and arrive in the order in which they were posted. */
export type RemoteChannel = {
  /** Sends plain JSON to all listeners. */
  readonly post: (message: unknown) => void;
  /** Listens to messages of others. Returns a function that stops. */
  readonly subscribe: (listener: (message: unknown) => void) => () => void;
};

/** Connects pages of one origin in one browser by a BroadcastChannel of the name. Default: `vitrine-remote`. */
export function broadcastChannel(name = 'vitrine-remote'): RemoteChannel {
  const channel = new BroadcastChannel(name);
  // A Node process need not stay alive for the channel.
  (channel as { unref?: () => void }).unref?.();
  return {
    post: (message) => channel.postMessage(message),
    subscribe(listener) {
      const onMessage = ({ data }: MessageEvent<unknown>): void => listener(data);
      channel.addEventListener('message', onMessage);
      return () => channel.removeEventListener('message', onMessage);
    },
  };
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
    post: (message) => other.postMessage(message, origin),
    subscribe(listener) {
      const onMessage = (event: MessageEvent<unknown>): void => {
        if (event.source === other && event.origin === origin) listener(event.data);
      };
      window.addEventListener('message', onMessage);
      return () => window.removeEventListener('message', onMessage);
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
