import { AgentError } from './agent-error.ts';
import { runtimeLacks } from './errors.ts';

let lastMs = 0;
let count = 0;
/** Random numbers for the next ids: asking for a few at a time would take longer than the rest of an id. */
const numbers = new Uint32Array(128);
let used = numbers.length;

/**
 * Creates a UUID of version 7 (RFC 9562). UUIDs sort by creation, also within a millisecond and after the clock was
 * set back. Written by hand, because every page loads it; `crypto.randomUUID` is not sorted, and absent on pages
 * without HTTPS.
 */
export function uuidV7(): string {
  const now = Date.now();
  if (now > lastMs) [lastMs, count] = [now, 0];
  else if (++count > 0xfff) [lastMs, count] = [lastMs + 1, 0];
  const [high, low] = [random(), random()];
  const time = digits(lastMs, 12);
  const noise = digits((high % 0x40000000) + 0x80000000, 8) + digits(low, 8);
  // `join` makes one flat string; a template would keep its pieces, in twice the memory.
  return [time.slice(0, 8), time.slice(8), `7${digits(count, 3)}`, noise.slice(0, 4), noise.slice(4)].join(
    '-',
  );
}

function random(): number {
  if (used === numbers.length) {
    if (typeof globalThis.crypto?.getRandomValues !== 'function')
      throw runtimeLacks('crypto.getRandomValues');
    crypto.getRandomValues(numbers);
    used = 0;
  }
  return numbers[used++] as number;
}

function digits(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for a UUID in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}

/** True for a session id: 1 to 200 well-formed characters without control ones, and no `.` or `..` alone. */
export function isSessionId(id: string): boolean {
  return typeof id === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(id) && id !== '.' && id !== '..';
}

/** Checks a session id. @throws AgentError `id-invalid` for any other value. */
export function assertSessionId(id: string): void {
  if (isSessionId(id)) return;
  const shown = typeof id === 'string' ? JSON.stringify(id.slice(0, 210)) : typeof id;
  const message = `Session id ${shown}: use a text of 1 to 200 characters without control characters, not "." or "..".`;
  throw new AgentError('id-invalid', message, { data: { id } });
}
