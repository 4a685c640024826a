import type { JsonObject } from '../kit/json.ts';

/** True for a message that belongs to the trace of a step, not to the conversation. */
export function isTrace(message: { readonly metadata: JsonObject }): boolean {
  return message.metadata['is_trace'] === true;
}
