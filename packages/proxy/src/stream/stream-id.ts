import type { InferenceRequest } from '@vitrine/core';

/**
 * The id of a stream: a random UUID, or, with an idempotency key, one that only this owner's request with this key has,
 * so that every process comes to the same one and the log sees to it that it is begun once.
 */
export async function streamId(
  ownerId: string | null,
  key: string | null,
  request: InferenceRequest,
): Promise<string> {
  if (key === null) return crypto.randomUUID();
  const text = JSON.stringify([ownerId, key, request]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = new Uint8Array(digest).slice(0, 16);
  // Version 8, what an application makes by itself (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
