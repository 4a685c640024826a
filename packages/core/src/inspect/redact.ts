import { isSecretName } from '../kit/is-secret-name.ts';

export { isSecretName } from '../kit/is-secret-name.ts';

/** Stands where the value of a secret was. */
export const redacted = '•••';

/** A copy without the values under names of secrets; the same value when there are none. */
export function redact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(redact);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const next = entries.map(([name, child]): [string, unknown] => [
    name,
    isSecretName(name) && child !== null ? redacted : redact(child),
  ]);
  return next.every(([, child], index) => child === entries[index]?.[1]) ? value : Object.fromEntries(next);
}
