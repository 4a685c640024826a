import type { ComponentType } from 'react';

export type Scenario = {
  readonly history: number;
  readonly deltas: number;
  /** Deltas that arrive in one task. */ readonly burst: number;
};

/** What a library has to show: a page with a history, and a stream into its last message. */
export type Adapter = (scenario: Scenario) => {
  readonly App: ComponentType;
  /** Resolves when the stream has ended. */ readonly start: () => Promise<void>;
};

/** How often components were rendered or committed, by what they show. */
export const counts = { live: 0, commits: 0, history: 0 };

/** The same source for everybody: words, each in a task of its own, or several in one. */
export async function* deltas({ deltas: total, burst }: Scenario): AsyncGenerator<string> {
  for (let index = 0; index < total; index++) {
    if (index % burst === 0) await task();
    yield `w${index} `;
  }
}

/** A macrotask as soon as there can be one; timers would wait. */
function task(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

export const historyText = (index: number): string =>
  `Message ${index} of the history, with a sentence or two in it.`;
