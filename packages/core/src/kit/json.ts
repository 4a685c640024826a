/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; optional keys are absent, never `undefined`. */
export type JsonObject = { readonly [key: string]: JsonValue };
