/** Tells other tabs, and other stores of this page, which session was changed. */
export type ChangesElsewhere = {
  readonly tell: (id: string) => void;
  readonly listen: (listener: (id: string | null) => void) => () => void;
};

/** Over a BroadcastChannel; where there is none nobody is told. */
export function changesElsewhere(name: string): ChangesElsewhere {
  let channel: BroadcastChannel | null = null;

  function opened(): BroadcastChannel | null {
    if (channel !== null || typeof BroadcastChannel === 'undefined') return channel;
    channel = new BroadcastChannel(name);
    // A process in Node need not wait for it.
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
