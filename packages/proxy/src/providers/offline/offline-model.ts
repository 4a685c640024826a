import { type InferenceEvent, type InferenceRequest, type JsonObject, Usage } from '@vitrine/core';
import { sleep } from '@vitrine/core/internal/kit/async';
import type { ProxyModel } from '../proxy-model.ts';
import { ownReply } from './own-reply.ts';
import { type OfflineReply, type OfflineTurn, readTurn } from './turn.ts';

export type { OfflineReply, OfflineTurn };

/** Options of {@link offlineModel}. */
export type OfflineModelOptions = {
  /** Delay before every word, in milliseconds. Default: 18, about reading speed. */
  paceMs?: number | undefined;
  /**
   * Decides before the model's own rules: returns the reply to a turn, or null to leave it to them. `ownReply` returns the
   * reply of these rules to a request, such as one with fewer tools. Default: null for every turn.
   */
  replies?: (turn: OfflineTurn, ownReply: (request: InferenceRequest) => OfflineReply) => OfflineReply | null;
};

/** A model without key and network. It follows rules, says so, and really calls the tools that it is offered. */
export function offlineModel({ paceMs = 18, replies }: OfflineModelOptions = {}): ProxyModel {
  return {
    id: 'demo:offline',
    name: 'Offline demo model',
    provider: 'demo',
    price: { input: 0, output: 0 },
    client: {
      async *stream(request, { signal }) {
        yield { type: 'start', id: null, model: 'demo:offline' };
        const turn = readTurn(request);
        const reply = replies?.(turn, ownReply) ?? ownReply(request);
        const calls = callsOf(reply, turn);
        for (const event of eventsOf(reply, calls)) {
          signal.throwIfAborted();
          if (paceMs > 0) await sleep(paceMs, signal);
          yield event;
        }
        if (reply.error) return yield { type: 'error', ...reply.error, retryAfterMs: null };
        const finishReason = calls.length > 0 ? 'tool-calls' : 'stop';
        yield { type: 'finish', finishReason, usage: estimate(request, reply, calls) };
      },
    },
  };
}

type Call = { readonly toolCallId: string; readonly toolName: string; readonly input: JsonObject };

/** The calls of a reply, with ids that are unique for their turn, step and place in the step. */
function callsOf({ toolCalls = [], error }: OfflineReply, { said, results }: OfflineTurn): readonly Call[] {
  if (error) return [];
  return toolCalls.map(({ name: toolName, input }, index) => ({
    toolCallId: `offline_${said.length}_${results.length + index + 1}`,
    toolName,
    input,
  }));
}

function* eventsOf(
  { reasoning = '', text = '' }: OfflineReply,
  calls: readonly Call[],
): Generator<InferenceEvent> {
  for (const delta of words(reasoning)) yield { type: 'reasoning-delta', delta };
  for (const delta of words(text)) yield { type: 'text-delta', delta };
  for (const { toolCallId, toolName, input } of calls) {
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

function estimate({ messages }: InferenceRequest, reply: OfflineReply, calls: readonly Call[]): Usage {
  const { reasoning = '', text = '' } = reply;
  const inputTokens = Math.ceil(JSON.stringify(messages.map(({ parts }) => parts)).length / 4);
  const reasoningTokens = Math.ceil(reasoning.length / 4);
  const outputTokens = reasoningTokens + Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  return Usage.of({ inputTokens, outputTokens, reasoningTokens });
}
