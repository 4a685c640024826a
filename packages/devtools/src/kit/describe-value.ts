import { preview } from './format.ts';
import { Unread } from './tree-children.ts';

const longestText = 120;

/**
 * Describes a primitive or a value that JSON cannot hold, on one line; null for lists and plain objects.
 */
export function describeValue(path: readonly string[], value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(preview(value, path, longestText));
    case 'bigint':
      return `${preview(value, path, longestText)}n`;
    case 'function':
      return `ƒ ${value.name}()`;
    case 'object':
      return value === null ? 'null' : describeInstance(path, value);
    default:
      return preview(value, path, longestText);
  }
}

function describeInstance(path: readonly string[], value: object): string | null {
  const why = Unread.why(value);
  if (why !== null) return `(${preview(why, path, longestText)})`;
  if (value instanceof Map) return `Map (${value.size})`;
  if (value instanceof Set) return `Set (${value.size})`;
  if (value instanceof RegExp) return preview(String(value), path, longestText);
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'Date (invalid)' : `Date ${value.toISOString()}`;
  if (value instanceof Error)
    return preview(`${value.name}: ${value.message}`, [...path, 'message'], longestText);
  return null;
}
