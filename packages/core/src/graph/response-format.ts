import type { JsonObject } from '../kit/json.ts';

/** The form of the final answer: free text, or JSON that fits a JSON Schema. */
export type ResponseFormat =
  { readonly type: 'text' } | { readonly type: 'json'; readonly schema: JsonObject; readonly name?: string };
