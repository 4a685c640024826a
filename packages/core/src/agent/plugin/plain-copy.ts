import { copyJson } from '../../kit/copy-json.ts';
import type { JsonValue } from '../../kit/json.ts';

/** Deeper data than this is refused: a session that holds it could not be read back everywhere. */
const maxDepth = 100;

/** Tells where something stands that plain data may not hold; the path is empty for the value itself. */
export class NotPlain extends Error {
  readonly path: string;
  constructor(path: string) {
    super(`${path || 'the value'} is not JSON; keep plain data and convert where you use it`);
    this.path = path;
  }
}

/**
 * A copy of plain JSON data, which shares nothing with the original. Properties that are undefined are left out.
 * @throws NotPlain for anything that JSON cannot hold, and for what is more than 100 levels deep, cycles included.
 */
export function plainCopy(value: unknown): JsonValue {
  return copyJson(value as JsonValue, { maxDepth, refuse: (path) => new NotPlain(path) });
}
