/**
 * The id of a stream: a random UUID, or one that is derived from owner and idempotency key. Every process derives the
 * same id, and the log creates it only once.
 */
export async function streamId(ownerId: string | null, key: string | null): Promise<string> {
  if (key === null) return crypto.randomUUID();
  const text = JSON.stringify([ownerId, key]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = new Uint8Array(digest).slice(0, 16);
  // Version 8 is for ids that an application derives itself (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
