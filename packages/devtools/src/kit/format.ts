const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const costs = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 5 });

export function formatNumber(value: number): string {
  return numbers.format(value);
}

export function formatCost(dollars: number): string {
  return costs.format(dollars);
}

export function formatDuration(ms: number): string {
  if (ms < 1) return '<1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

export function formatTime(timestamp: number): string {
  const date = new Date(timestamp);
  return `${date.toLocaleTimeString('en', { hour12: false })}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** A value on one line. */
export function preview(value: unknown, length = 80): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const line = text.replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
