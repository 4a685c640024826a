/**
 * Decides what may be shown of a value: returns the value or a replacement. `undefined` and an error mean `•••`.
 * @param path Keys that lead to the value, as far as they are known where it is shown; the last one is its own.
 * @param value A text, a number or a boolean.
 */
export type Sanitize = (path: readonly string[], value: string | number | bigint | boolean) => unknown;

const all: { readonly sanitize: Sanitize }[] = [];

/**
 * Registers a function that every value has to pass in `redact`, and with it in traces, exported tests, copies, other
 * pages and the panel. Running and stored data is unaffected.
 * @returns a function that removes it.
 */
export function sanitizeWith(sanitize: Sanitize): () => void {
  const one = { sanitize };
  all.push(one);
  return () => {
    const at = all.indexOf(one);
    if (at >= 0) all.splice(at, 1);
  };
}

/** The visible form of a value; undefined for none. */
export function sanitized(path: readonly string[], value: unknown): unknown {
  let shown = value;
  for (const { sanitize } of all) {
    if (!isAsked(shown)) break;
    try {
      shown = sanitize(path, shown);
    } catch {
      return undefined;
    }
  }
  return shown;
}

function isAsked(value: unknown): value is Parameters<Sanitize>[1] {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}
