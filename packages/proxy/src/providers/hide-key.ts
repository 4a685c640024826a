import type { InferenceClient } from '@vitrine/core';
import { causeOf } from '../kit/cause-of.ts';

/** Wraps a client so that its errors do not reveal the key in any form, because some providers repeat a wrong key. */
export function hideKey(client: InferenceClient, key: string): InferenceClient {
  const hide = (error: unknown): Error => new Error(causeOf(error, (text) => text.replaceAll(key, '•••')));
  return {
    stream: (request, call) =>
      client.stream(request, { ...call, onError: (error) => call.onError?.(hide(error)) }),
  };
}
