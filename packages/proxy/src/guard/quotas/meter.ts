import type { InferenceClient, InferenceEvent, Usage } from '@vitrine/core';

/** What an answer has used so far. */
export type Meter = {
  /** The client, measured. */
  readonly client: InferenceClient;
  /** Tokens by the provider's own count; null until it has told. */
  readonly usage: () => Usage | null;
  /** Characters of what the model has said. */
  readonly said: () => number;
};

/** Measures one answer of a client. */
export function createMeter(client: InferenceClient): Meter {
  let usage: Usage | null = null;
  let said = 0;
  function count(event: InferenceEvent): void {
    if (event.type === 'finish') usage = event.usage;
    else if ('delta' in event) said += event.delta.length;
    else if (event.type === 'tool-call' || event.type === 'file') said++;
  }
  return {
    client: { stream: (request, options) => watched(client.stream(request, options), count) },
    usage: () => usage,
    said: () => said,
  };
}

/** The same stream, step by step: whoever ends it ends the source itself, also while it waits. */
function watched(
  source: AsyncIterable<InferenceEvent>,
  count: (event: InferenceEvent) => void,
): AsyncIterable<InferenceEvent> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await iterator.next();
          if (result.done !== true) count(result.value);
          return result;
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
