import type { Usage } from '../../graph/usage.ts';
import { none } from '../../graph/usage.ts';
import type { Env } from '../../graph/env.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { FinishReason } from '../../graph/inference-response.ts';
import type { InferenceEvent } from '../../model/inference-client.ts';
import type { MessagePart, ReasoningPart } from '../../graph/message-part.ts';
import { assistant, type Message } from '../../graph/message.ts';

/** An answer while it comes in. */
export type Answer = {
  readonly message: Message;
  readonly id: string | null;
  readonly model: string | null;
  readonly finish: { readonly reason: FinishReason; readonly usage: Usage } | null;
};

export function emptyAnswer(env: Env): Answer {
  return { message: assistant([], {}, env), id: null, model: null, finish: null };
}

/**
 * The answer with one event more; the same answer when the event changes nothing in it. Strings are only ever
 * appended to, which costs the same however long they are.
 */
export function withEvent(answer: Answer, event: InferenceEvent): Answer {
  switch (event.type) {
    case 'start':
      return { ...answer, id: event.id, model: event.model };
    case 'text-delta':
      return event.delta === '' ? answer : withText(answer, event.delta);
    case 'reasoning-delta':
      return withReasoning(answer, event.delta, event.providerMetadata);
    case 'tool-call':
    case 'file':
    case 'source':
      return withPart(answer, event);
    case 'finish':
      return { ...answer, finish: { reason: event.finishReason, usage: event.usage ?? none() } };
    default:
      return answer;
  }
}

function withText(answer: Answer, delta: string): Answer {
  const last = answer.message.parts.at(-1);
  return last?.type === 'text'
    ? withLastPart(answer, { ...last, text: last.text + delta })
    : withPart(answer, { type: 'text', text: delta });
}

function withReasoning(answer: Answer, delta: string, providerMetadata: JsonObject | undefined): Answer {
  if (delta === '' && providerMetadata === undefined) return answer;
  const last = answer.message.parts.at(-1);
  const base: ReasoningPart = last?.type === 'reasoning' ? last : { type: 'reasoning', text: '' };
  const metadata = providerMetadata
    ? { providerMetadata: { ...base.providerMetadata, ...providerMetadata } }
    : {};
  const next = { ...base, text: base.text + delta, ...metadata };
  return last?.type === 'reasoning' ? withLastPart(answer, next) : withPart(answer, next);
}

function withPart(answer: Answer, part: MessagePart): Answer {
  return { ...answer, message: { ...answer.message, parts: [...answer.message.parts, part] } };
}

function withLastPart(answer: Answer, part: MessagePart): Answer {
  const { parts } = answer.message;
  return { ...answer, message: { ...answer.message, parts: [...parts.slice(0, -1), part] } };
}
