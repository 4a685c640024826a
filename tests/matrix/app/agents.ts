import { type AgentDefinition, type ChatMessage, defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';

/** An agent that answers every question with the same words, one delta each. */
export function answering(name: string, words: readonly string[], delayMs = 0): AgentDefinition {
  const inference = scriptedInference([
    () => {
      count(`calls of ${name}`);
      return { chunks: words, delayMs };
    },
  ]);
  return defineAgent({ name, systemPrompt: '', inference });
}

/** The same agent with a pause after so many events of its model: many deltas, over several frames, in little time. */
export function inBursts(agent: AgentDefinition, events: number, pauseMs: number): AgentDefinition {
  return {
    ...agent,
    inference: {
      async *stream(...request) {
        let count = 0;
        for await (const event of agent.inference.stream(...request)) {
          if (++count % events === 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
          yield event;
        }
      },
    },
  };
}

/** The words of a message. */
export function textOf({ parts }: ChatMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

declare global {
  /** The counters of the page, for the test. */
  var counts: Record<string, number> | undefined;
}

/** Counts in a place that the test can read, and that no render can reset. */
export function count(what: string): void {
  globalThis.counts ??= {};
  globalThis.counts[what] = (globalThis.counts[what] ?? 0) + 1;
}
