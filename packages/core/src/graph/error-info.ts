import type { JsonObject, JsonValue } from '../kit/json.ts';

/** An error as plain data, so that it can live in state and round-trip. */
export type ErrorInfo = {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly data: JsonObject;
  readonly cause: ErrorInfo | null;
};

const maxCauseDepth = 8;

/** Describes anything that was thrown; never throws itself. Causes are followed eight levels deep. */
export function errorInfo(thrown: unknown): ErrorInfo {
  return describe(thrown, 0);
}

function describe(thrown: unknown, depth: number): ErrorInfo {
  if (typeof thrown !== 'object' || thrown === null) {
    return { name: 'Error', message: String(thrown), code: null, data: {}, cause: null };
  }
  const error = thrown as Partial<Record<'name' | 'message' | 'code' | 'data' | 'cause', unknown>>;
  const hasCause = error.cause !== undefined && error.cause !== null && depth < maxCauseDepth;
  return {
    name: typeof error.name === 'string' ? error.name : 'Error',
    message: typeof error.message === 'string' ? error.message : 'An object that is not an Error was thrown.',
    code: typeof error.code === 'string' ? error.code : null,
    data: plainData(error.data),
    cause: hasCause ? describe(error.cause, depth + 1) : null,
  };
}

function plainData(data: unknown): JsonObject {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return {};
  try {
    return JSON.parse(JSON.stringify(data)) as Record<string, JsonValue>;
  } catch {
    return {};
  }
}
