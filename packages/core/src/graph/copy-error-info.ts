import { isPlainObject, type JsonObject } from '../kit/json.ts';
import { toJsonObject } from '../kit/to-json.ts';

/** An error as plain data, so that it can live in state and round-trip. */
export type ErrorInfo = {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  /** Details for programs; empty for errors of other libraries. */
  readonly data: JsonObject;
  readonly cause: ErrorInfo | null;
};

export const maxCauses = 8;

/** Copies an error that an application wrote as data, into the shape that state can hold. */
export function copyErrorInfo(error: { readonly [key: string]: unknown }, depth = 0): ErrorInfo {
  const { name, message, code, data, cause } = error;
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : '',
    code: typeof code === 'string' ? code : null,
    data: toJsonObject(data),
    cause: isPlainObject(cause) && depth < maxCauses ? copyErrorInfo(cause, depth + 1) : null,
  };
}
