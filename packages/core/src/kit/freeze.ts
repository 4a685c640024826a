import { isDevelopment } from './development.ts';

/** Freezes a new object and all that is new below it; does nothing in production. What is frozen already is not walked. */
export function freeze<Value>(value: Value): Value {
  if (isDevelopment) freezeDeep(value);
  return value;
}

function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) freezeDeep(child);
}
