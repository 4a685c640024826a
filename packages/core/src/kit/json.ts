/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; optional keys are absent, never `undefined`. */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * The type of a value after `JSON.parse(JSON.stringify(value))`: a Date becomes text, undefined becomes null. JSON
 * types are unchanged.
 */
export type JsonOf<T> = T extends JsonValue
  ? T
  : T extends void
    ? null
    : T extends { toJSON(): infer Json }
      ? JsonOf<Json>
      : T extends bigint | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
        ? string
        : T extends object
          ? { [Key in keyof T]: JsonField<T[Key]> }
          : T;

type JsonField<T> = T extends undefined ? undefined : JsonOf<T>;
