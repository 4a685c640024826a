import type { QueuedMessage, TurnResult } from './agent-session.ts';

type Waiting = { readonly message: QueuedMessage; readonly settle: (result: TurnResult) => void };

/** Messages that wait for the running turn to end, and the promises of those who sent them. */
export type MessageQueue = {
  /** The same array until something comes or goes. */
  readonly messages: () => readonly QueuedMessage[];
  readonly add: (message: QueuedMessage) => Promise<TurnResult>;
  readonly next: () => Waiting | null;
  readonly cancel: (id: string, result: TurnResult) => void;
};

export function createMessageQueue(): MessageQueue {
  let waiting: readonly Waiting[] = [];
  let messages: readonly QueuedMessage[] = [];

  function replace(next: readonly Waiting[]): void {
    waiting = next;
    messages = next.map((entry) => entry.message);
  }

  return {
    messages: () => messages,
    add: (message) => new Promise((settle) => replace([...waiting, { message, settle }])),
    next() {
      const [first, ...rest] = waiting;
      if (first === undefined) return null;
      replace(rest);
      return first;
    },
    cancel(id, result) {
      const cancelled = waiting.find((entry) => entry.message.id === id);
      replace(waiting.filter((entry) => entry !== cancelled));
      cancelled?.settle(result);
    },
  };
}
