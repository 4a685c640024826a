import { redacted } from '@vitrine/core/inspect';

/** A document as it was shown, and as it is. */
type Pair = { readonly shown: unknown; readonly original: unknown };

/**
 * A document that was made of a shown one, with what was taken out of that put back where it stands unchanged. Null when
 * something is left that was taken out: it must not become a value.
 */
export function withOriginals(edited: unknown, pair: Pair): { readonly value: unknown } | null {
  try {
    return { value: visit(edited, pair) };
  } catch (thrown) {
    if (thrown === leftOver) return null;
    throw thrown;
  }
}

const leftOver = Symbol('left over');

function visit(edited: unknown, { shown, original }: Pair): unknown {
  if (typeof edited !== 'object' || edited === null) {
    if (edited === shown) return original;
    if (typeof edited === 'string' && edited.includes(redacted)) throw leftOver;
    return edited;
  }
  if (Array.isArray(edited)) return edited.map((item, index) => visit(item, at({ shown, original }, index)));
  return Object.fromEntries(
    Object.entries(edited).map(([name, child]) => {
      if (name.includes(redacted)) throw leftOver;
      return [name, visit(child, at({ shown, original }, name))];
    }),
  );
}

function at({ shown, original }: Pair, name: string | number): Pair {
  return { shown: own(shown, name), original: own(original, name) };
}

function own(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string | number, unknown>>)[name]
    : undefined;
}
