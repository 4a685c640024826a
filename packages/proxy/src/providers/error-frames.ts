import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';

/** The error that an event tells, in the shape of OpenAI; null for an event that is none. */
export function errorIn(value: JsonObject): JsonObject | null {
  const { error, errors, object, type, detail, choices } = value;
  if (error !== undefined && !isEmpty(error)) return errorOf(error, value);
  if (object === 'error' || type === 'error') return errorOf(value, value);
  // Cloudflare's list of errors.
  const [first] = Array.isArray(errors) && choices === undefined ? errors : [];
  if (first !== undefined) return errorOf(first, value);
  const { error_message: message, error_type: kind } = value;
  if (typeof message === 'string' && message !== '') return errorOf({ message, type: kind ?? null }, value);
  // FastAPI's errors, on which many servers are built.
  if (detail !== undefined && detail !== null && choices === undefined) return errorOf(detail, value);
  const isPlain = choices === undefined && typeof value['message'] === 'string';
  return isPlain && codeOf(value) !== null ? errorOf(value, value) : null;
}

/** True for an error that says nothing, which some servers send with each event. */
function isEmpty(error: JsonValue): boolean {
  return !error || (isObject(error) && Object.keys(error).length === 0);
}

function errorOf(error: JsonValue, around: JsonObject): JsonObject {
  const inner = isObject(error) ? error : {};
  const said = [error, inner['message'], inner['msg'], inner['detail'], around['message']].find(
    (one) => typeof one === 'string' && one !== '',
  );
  const code = codeOf(inner) ?? codeOf(around);
  const type = [inner['type'], inner['status'], inner['code']].find((one) => typeof one === 'string');
  return {
    message: said ?? JSON.stringify(error),
    ...(type === undefined ? {} : { type }),
    ...(code === null ? {} : { code }),
  };
}

/** The status of an error, as a number or digits; else its code as text. */
function codeOf(error: JsonObject): number | string | null {
  const { code, status, status_code: statusCode } = error;
  const all = [code, status, statusCode];
  const figure = all.map(Number).find((one) => one >= 400 && one < 600);
  return figure ?? (all.find((one) => typeof one === 'string' && one !== '') as string | undefined) ?? null;
}
