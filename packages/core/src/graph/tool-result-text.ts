import type { JsonValue } from '../kit/json.ts';

/** The prefix of an error in a result for the model. */
export const toolErrorPrefix = 'Error in tool call: ';

/** A tool's result as text for a model: strings unchanged, other values as JSON. */
export function toolResultText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
