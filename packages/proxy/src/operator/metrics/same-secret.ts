/** Compares two secrets in constant time, by their digests. */
export async function isSameSecret(given: string, secret: string): Promise<boolean> {
  const [one, other] = await Promise.all([digest(given), digest(secret)]);
  return one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
