import { type InferenceEvent, type InferenceRequest, Usage } from '@vitrine/core';
import { sleep } from '@vitrine/core/internal/kit/async';
import type { ProxyModel } from '../proxy-model.ts';
import { decide } from './decide.ts';
import { createRetryCheck } from './retry-check.ts';
import type { Reply } from './conversation.ts';

/** Options of {@link offlineModel}. */
export type OfflineModelOptions = {
  /** Delay before every word, in milliseconds. Default: 18, about reading speed. */
  paceMs?: number | undefined;
};

/** A model without key and network. It follows rules, says so, and really calls the tools that it is offered. */
export function offlineModel({ paceMs = 18 }: OfflineModelOptions = {}): ProxyModel {
  const isRetry = createRetryCheck();
  return {
    id: 'demo:offline',
    name: 'Offline demo model',
    provider: 'demo',
    price: { input: 0, output: 0 },
    client: {
      async *stream(request, { signal }) {
        yield { type: 'start', id: null, model: 'demo:offline' };
        const decided = decide(request);
        const reply = decided.whenRetried && isRetry(request) ? decided.whenRetried : decided;
        for (const event of eventsOf(reply)) {
          signal.throwIfAborted();
          if (paceMs > 0) await sleep(paceMs, signal);
          yield event;
        }
        if (reply.error) return yield { type: 'error', ...reply.error, retryAfterMs: null };
        const finishReason = reply.toolCalls.length > 0 ? 'tool-calls' : 'stop';
        yield { type: 'finish', finishReason, usage: estimate(request, reply) };
      },
    },
  };
}

function* eventsOf(reply: Reply): Generator<InferenceEvent> {
  for (const delta of words(reply.reasoning)) yield { type: 'reasoning-delta', delta };
  for (const delta of words(reply.text)) yield { type: 'text-delta', delta };
  for (const { toolCallId, toolName, input } of reply.toolCalls) {
    yield { type: 'tool-call-start', toolCallId, toolName };
    yield { type: 'tool-call-delta', toolCallId, delta: JSON.stringify(input) };
    yield { type: 'tool-call', toolCallId, toolName, input };
  }
}

function words(text: string): string[] {
  const pieces = text.split(/(?<=\S)(?=\s)/);
  const last = pieces.at(-1) ?? '';
  // Trailing white space belongs to the last word.
  if (last.trim() === '') pieces.splice(-2, 2, `${pieces.at(-2) ?? ''}${last}`);
  return pieces.filter((piece) => piece.trim() !== '');
}

function estimate(request: InferenceRequest, reply: Reply): Usage {
  const inputTokens = Math.ceil(JSON.stringify(request.messages.map((message) => message.parts)).length / 4);
  const reasoningTokens = Math.ceil(reply.reasoning.length / 4);
  const outputTokens =
    reasoningTokens + Math.ceil((reply.text.length + JSON.stringify(reply.toolCalls).length) / 4);
  return Usage.of({ inputTokens, outputTokens, reasoningTokens });
}
