import { AgentError } from '../../kit/agent-error.ts';

/** What two pages hear of each other by; messages may be lost, and come in the order in which they were posted. */
export type RemoteChannel = {
  /** Sends plain JSON to whoever is there. */
  readonly post: (message: unknown) => void;
  /** Hears what others post. Returns the function that hears no more. */
  readonly subscribe: (listener: (message: unknown) => void) => () => void;
};

/** Pages of one origin in one browser, by a BroadcastChannel of the name. Default: `vitrine-remote`. */
export function broadcastChannel(name = 'vitrine-remote'): RemoteChannel {
  const channel = new BroadcastChannel(name);
  // A process in Node need not wait for it.
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
 * Another window: an opener, a pop-up, a frame, also of another origin. What others send, or the same window after it
 * has gone to another origin, is not heard, and nothing is sent to them.
 * @param origin Exactly that of the other window, as `https://tools.example:8443`.
 * @throws AgentError `remote-invalid` for `*` and what is no origin.
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
