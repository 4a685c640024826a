import { preview } from './format.ts';
import { Unread } from './tree-children.ts';
import type { Texts } from '../texts.ts';

const longestText = 120;

/**
 * Describes a primitive or a value that JSON cannot hold, on one line; null for lists and plain objects.
 */
export function describeValue(path: readonly string[], value: unknown, texts: Texts): string | null {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(preview(value, path, longestText));
    case 'bigint':
      return `${preview(value, path, longestText)}n`;
    case 'function':
      return `ƒ ${value.name}()`;
    case 'object':
      return value === null ? 'null' : describeInstance(path, value, texts);
    default:
      return preview(value, path, longestText);
  }
}

function describeInstance(path: readonly string[], value: object, { values }: Texts): string | null {
  const unread = Unread.reason(value);
  if (unread !== null) {
    const why = unread === 'getter' ? values.getter : values.throws(unread.message);
    return `(${preview(why, path, longestText)})`;
  }
  if (value instanceof Map) return `Map (${value.size})`;
  if (value instanceof Set) return `Set (${value.size})`;
  if (value instanceof RegExp) return preview(String(value), path, longestText);
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? values.invalidDate : `Date ${value.toISOString()}`;
  if (value instanceof Error)
    return preview(`${value.name}: ${value.message}`, [...path, 'message'], longestText);
  return null;
}
