import { redact } from '@vitrine/core/inspect';

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const digits = (count: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en', { minimumFractionDigits: count, maximumFractionDigits: count });
const [wholes, tenths, hundredths] = [digits(0), digits(1), digits(2)];
const since = new Intl.NumberFormat('en', {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
  signDisplay: 'always',
});
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const costs = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 5 });

export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** The smallest cost shown; a smaller one appears as `<$0.00001`. */
const leastCost = 0.00001;

export function formatCost(dollars: number): string {
  return dollars > 0 && dollars < leastCost / 2 ? `<${costs.format(leastCost)}` : costs.format(dollars);
}

/** A count with its noun: `1 call`, `2 calls`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 999.5) return `${wholes.format(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds >= 3600)
    return `${wholes.format(Math.floor(seconds / 3600))} h ${Math.floor((seconds % 3600) / 60)} min`;
  if (seconds >= 600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${(ms < 9_995 ? hundredths : tenths).format(ms / 1000)} s`;
}

/** The local time of day: `14:03:07.250`. */
export function formatTime(timestamp: number): string {
  return clock.format(timestamp);
}

/** A time difference with its sign: `+1.250 s`. */
export function formatSince(ms: number): string {
  return `${since.format(ms / 1000)} s`;
}

/**
 * Extra characters of a long text that are scanned for secrets, so that no secret is cut at the end of the
 * preview.
 */
const looked = 4000;

/**
 * Shortens a value to one line, without secrets.
 * @param path The names that lead to the value, as far as known.
 */
export function preview(value: unknown, path: readonly string[], length = 80): string {
  const safe = redact(typeof value === 'string' ? value.slice(0, length + looked) : value, { path });
  const text = typeof safe === 'object' && safe !== null ? JSON.stringify(safe) : String(safe);
  const line = text.replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
