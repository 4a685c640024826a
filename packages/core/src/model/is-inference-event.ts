import type { InferenceEvent } from './inference-client.ts';

type Check = (event: Record<string, unknown>) => boolean;

const text =
  (...keys: string[]): Check =>
  (event) =>
    keys.every((key) => typeof event[key] === 'string');

/** Type checks of the required fields of each event; they replace a schema library for each delta. */
const checks: { readonly [Type in InferenceEvent['type']]: Check } = {
  start: () => true,
  'text-delta': text('delta'),
  'reasoning-delta': text('delta'),
  'tool-call-start': text('toolCallId', 'toolName'),
  'tool-call-delta': text('toolCallId', 'delta'),
  'tool-call': (event) => text('toolCallId', 'toolName')(event) && event['input'] !== undefined,
  file: text('mediaType'),
  source: text('id'),
  finish: text('finishReason'),
  error: text('code', 'message'),
};

/** True for the event types of this protocol version; types of a newer server are skipped. */
export function isKnownEventType(type: string): type is InferenceEvent['type'] {
  return Object.hasOwn(checks, type);
}

/** True for an event of a known type with its required fields. */
export function isInferenceEvent(value: unknown): value is InferenceEvent {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Record<string, unknown>;
  const type = event['type'];
  return typeof type === 'string' && isKnownEventType(type) && checks[type](event);
}
