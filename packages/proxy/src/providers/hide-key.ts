import type { InferenceClient } from '@vitrine/core';
import { causeOf } from '../cause-of.ts';

/** The same client, whose errors do not tell the key, whatever form it has: some providers say which key was wrong. */
export function hideKey(client: InferenceClient, key: string): InferenceClient {
  const hide = (error: unknown): Error => new Error(causeOf(error, (text) => text.replaceAll(key, '•••')));
  return {
    stream: (request, call) =>
      client.stream(request, { ...call, onError: (error) => call.onError?.(hide(error)) }),
  };
}
