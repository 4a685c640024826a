import { copyJson, type JsonValue } from '../../kit/json.ts';

/** Depth limit of data, because a session with deeper data could not be read back everywhere. */
const maxDepth = 100;

/** The error for a value that is no plain data, with its path; the path is empty for the value itself. */
export class NotPlain extends Error {
  readonly path: string;
  constructor(path: string) {
    super(`${path || 'the value'} is not JSON; keep plain data and convert where you use it`);
    this.path = path;
  }
}

/**
 * Copies plain JSON data; the copy shares nothing with the original. Undefined properties are left out.
 * @throws NotPlain for a value that JSON cannot hold, or that is more than 100 levels deep, cycles included.
 */
export function plainCopy(value: unknown): JsonValue {
  return copyJson(value as JsonValue, { maxDepth, refuse: (path) => new NotPlain(path) });
}
