import { redact } from '@vitrine/core/inspect';

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const costs = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 5 });

export function formatNumber(value: number): string {
  return numbers.format(value);
}

export function formatCost(dollars: number): string {
  return costs.format(dollars);
}

/** `1 call`, `2 calls`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1) return '<1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

export function formatTime(timestamp: number): string {
  const date = new Date(timestamp);
  return `${date.toLocaleTimeString('en', { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** So much of a long text is looked at for secrets that none is cut where it begins to be shown. */
const looked = 4000;

/** A value on one line, without secrets. */
export function preview(value: unknown, length = 80): string {
  const safe = redact(typeof value === 'string' ? value.slice(0, length + looked) : value);
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? String(safe));
  const line = text.replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
