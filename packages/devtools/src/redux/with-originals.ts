import { redacted } from '@vitrine/core/inspect';

/** A document with secrets redacted, and the original. */
type Pair = { readonly shown: unknown; readonly original: unknown };

/**
 * Restores the redacted values of an edited document where they are unchanged. Returns null when a redacted
 * value remains, because the mark must not become a value.
 */
export function withOriginals(edited: unknown, pair: Pair): { readonly value: unknown } | null {
  try {
    return { value: visit(edited, pair, 0) };
  } catch (thrown) {
    if (thrown === leftOver) return null;
    throw thrown;
  }
}

const leftOver = Symbol('left over');

/** Maximum depth; no document of this library is deeper. */
const deepest = 1_000;

function visit(edited: unknown, { shown, original }: Pair, depth: number): unknown {
  if (depth > deepest) throw leftOver;
  if (typeof edited !== 'object' || edited === null) {
    if (edited === shown) return original;
    if (typeof edited === 'string' && edited.includes(redacted)) throw leftOver;
    return edited;
  }
  if (Array.isArray(edited))
    return edited.map((item, index) => visit(item, at({ shown, original }, index), depth + 1));
  return Object.fromEntries(
    Object.entries(edited).map(([name, child]) => {
      if (name.includes(redacted)) throw leftOver;
      return [name, visit(child, at({ shown, original }, name), depth + 1)];
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
