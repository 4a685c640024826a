const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for a UUID in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}
