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

/** The least that is told of a cost; what is less is no gift. */
const leastCost = 0.00001;

export function formatCost(dollars: number): string {
  return dollars > 0 && dollars < leastCost / 2 ? `<${costs.format(leastCost)}` : costs.format(dollars);
}

/** `1 call`, `2 calls`. */
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

/** `14:03:07.250`, by the clock of the person who looks. */
export function formatTime(timestamp: number): string {
  return clock.format(timestamp);
}

/** `+1.250 s`: so long after something else, or before it. */
export function formatSince(ms: number): string {
  return `${since.format(ms / 1000)} s`;
}

/** So much of a long text is looked at for secrets that none is cut where it begins to be shown. */
const looked = 4000;

/**
 * A value on one line, without secrets.
 * @param path The names that lead to it, as far as they are known.
 */
export function preview(value: unknown, path: readonly string[], length = 80): string {
  const safe = redact(typeof value === 'string' ? value.slice(0, length + looked) : value, { path });
  const text = typeof safe === 'object' && safe !== null ? JSON.stringify(safe) : String(safe);
  const line = text.replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
