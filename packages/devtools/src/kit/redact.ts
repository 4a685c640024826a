const secretKey =
  /^(?:.*(?:api[-_]?key|authorization|password|passwd|secret|cookie|access[-_]?token|refresh[-_]?token|id[-_]?token)|token)$/i;

export const redacted = '•••';

/** True for keys whose values should not be shown. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key);
}

/** A copy without the values of secret keys; the same value when there are none. */
export function redact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapped(value, value.map(redact));
  const entries = Object.entries(value);
  const next = entries.map(([key, child]): [string, unknown] => [
    key,
    isSecretKey(key) ? redacted : redact(child),
  ]);
  return next.every(([, child], index) => child === entries[index]?.[1]) ? value : Object.fromEntries(next);
}

function mapped(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((child, index) => child === before[index]) ? before : after;
}
