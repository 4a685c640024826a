/** Notifies other tabs, and other stores of this page, of a changed session. */
export type ChangesElsewhere = {
  readonly tell: (id: string) => void;
  readonly listen: (listener: (id: string | null) => void) => () => void;
};

/** Creates notices over a BroadcastChannel. Without one, nobody is notified. */
export function changesElsewhere(name: string): ChangesElsewhere {
  let channel: BroadcastChannel | null = null;

  function opened(): BroadcastChannel | null {
    if (channel !== null || typeof BroadcastChannel === 'undefined') return channel;
    channel = new BroadcastChannel(name);
    // The channel must not keep a Node process alive.
    (channel as { unref?: () => void }).unref?.();
    return channel;
  }

  return {
    tell: (id) => opened()?.postMessage(id),
    listen(listener) {
      const heard = opened();
      const onMessage = ({ data }: MessageEvent<unknown>): void => {
        listener(typeof data === 'string' ? data : null);
      };
      heard?.addEventListener('message', onMessage);
      return () => heard?.removeEventListener('message', onMessage);
    },
  };
}
