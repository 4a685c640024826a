import type { JsonValue } from '../kit/json.ts';

/** How an error is announced to the model. */
export const toolErrorPrefix = 'Error in tool call: ';

/** A tool's result as text for a model: strings as they are, everything else as JSON. */
export function toolResultText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
