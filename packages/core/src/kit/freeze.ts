import { work } from './work.ts';

declare const process: { env: { NODE_ENV?: string } };

/** False in production builds. Bundlers replace the expression; without a bundler there may be no `process`. */
export const isDevelopment: boolean = mode() !== 'production';

function mode(): string | undefined {
  try {
    return process.env.NODE_ENV;
  } catch {
    return 'production';
  }
}

/** Freezes a new object and all new objects inside it; does nothing in production. */
export function freeze<Value>(value: Value): Value {
  // The expression itself, so that a bundler leaves the walk out of a production build.
  if (isDevelopment && process.env.NODE_ENV !== 'production') freezeDeep(value);
  return value;
}

function freezeDeep(value: unknown): void {
  if (!isOpen(value)) return;
  const open = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    const children: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    work.units += children.length;
    for (const child of children) if (isOpen(child)) open.push(child);
  }
}

function isOpen(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Object.isFrozen(value);
}
