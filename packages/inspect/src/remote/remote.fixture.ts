import type { RemoteChannel } from './remote-channel.ts';

/** Two ends of a way, with a switch that loses messages, and everything that was posted. */
export type Line = {
  readonly page: RemoteChannel;
  readonly panel: RemoteChannel;
  readonly said: string[];
  /** True when the next message is lost. */
  lose: () => boolean;
};

export function createLine(): Line {
  const listeners = {
    page: new Set<(message: unknown) => void>(),
    panel: new Set<(message: unknown) => void>(),
  };
  const end = (own: 'page' | 'panel', other: 'page' | 'panel'): RemoteChannel => ({
    open(onMessage) {
      listeners[own].add(onMessage);
      return {
        post(message) {
          const text = JSON.stringify(message);
          line.said.push(text);
          if (!line.lose()) for (const listener of listeners[other]) listener(JSON.parse(text));
        },
        close: () => void listeners[own].delete(onMessage),
      };
    },
  });
  const line: Line = {
    page: end('page', 'panel'),
    panel: end('panel', 'page'),
    said: [],
    lose: () => false,
  };
  return line;
}
