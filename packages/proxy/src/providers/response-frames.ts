import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';
import { type FrameReader, unreadable } from './answer-frames.ts';
import { errorIn } from './error-frames.ts';

/** Reads the events of OpenAI's responses. */
export function responseFrames(): FrameReader {
  return {
    lost: () => [unreadable],
    end: () => [],
    read({ event, value: given }) {
      if (Object.keys(given).length === 0 || event === 'ping') return [];
      const type = typeof given['type'] === 'string' ? given['type'] : event;
      if (type === 'response.failed') return [{ event: 'error', value: failureOf(given['response']) }];
      const error = type === '' || type === 'error' ? errorIn(given) : null;
      if (error !== null) return [{ event: 'error', value: errorEvent(given, error) }];
      return [{ event, value: type === '' ? given : { ...given, type } }];
    },
  };
}

/** A failed response as an error: its package ends the answer without one, or cannot read it. */
function failureOf(response: JsonValue | undefined): JsonObject {
  const told = isObject(response) ? errorIn({ error: response['error'] ?? null }) : null;
  return errorEvent({}, told ?? { message: 'The response failed, and the provider does not say why.' });
}

function errorEvent(
  given: JsonObject,
  { message = '', code = null, type: kind = 'server_error' }: JsonObject,
): JsonObject {
  if (typeof given['sequence_number'] === 'number' && !isObject(given['error'])) return given;
  const told = { type: kind, code: code === null ? null : String(code), message };
  return { type: 'error', sequence_number: 0, error: told };
}
