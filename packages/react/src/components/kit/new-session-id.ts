/** A random session id. Not `crypto.randomUUID`, which is absent on pages without HTTPS. */
export function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
