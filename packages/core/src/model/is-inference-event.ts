import type { InferenceEvent } from './inference-client.ts';

type Check = (event: Record<string, unknown>) => boolean;

const text =
  (...keys: string[]): Check =>
  (event) =>
    keys.every((key) => typeof event[key] === 'string');

/** What an event must have to be worked with; a few type checks per delta instead of a schema library. */
const checks: { readonly [Type in InferenceEvent['type']]: Check } = {
  start: () => true,
  'text-delta': text('delta'),
  'reasoning-delta': text('delta'),
  'tool-call-start': text('toolCallId', 'toolName'),
  'tool-call-delta': text('toolCallId', 'delta'),
  'tool-call': (event) => text('toolCallId', 'toolName')(event) && event['input'] !== undefined,
  file: text('mediaType'),
  source: text('id'),
  finish: (event) => typeof event['finishReason'] === 'string' && typeof event['usage'] === 'object',
  error: text('code', 'message'),
};

export function isInferenceEvent(value: unknown): value is InferenceEvent {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Record<string, unknown>;
  const type = event['type'];
  return (
    typeof type === 'string' && Object.hasOwn(checks, type) && checks[type as InferenceEvent['type']](event)
  );
}
