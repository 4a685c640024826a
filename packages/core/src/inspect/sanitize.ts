/**
 * Says what may be shown of a value: the value itself, or what stands in its place. Nothing (undefined) and a function
 * that throws stand for `•••`.
 * @param path Names that lead to the value, as far as they are known where it is shown; the last one is its own.
 * @param value A text, a number or a boolean.
 */
export type Sanitize = (path: readonly string[], value: string | number | bigint | boolean) => unknown;

const all: { readonly sanitize: Sanitize }[] = [];

/**
 * From now on nothing passes `redact`, and with it traces, tests, copies, other pages and the panel itself, that the
 * function has not let pass. What runs and what is stored stays as it is.
 * @returns Takes it back.
 */
export function sanitizeWith(sanitize: Sanitize): () => void {
  const one = { sanitize };
  all.push(one);
  return () => {
    const at = all.indexOf(one);
    if (at >= 0) all.splice(at, 1);
  };
}

/** What may be shown of a value; undefined for nothing of it. */
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
