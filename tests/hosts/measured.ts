import type { DonePart } from './progress.ts';

/** The sums of what the parts have counted, the percentiles of what they have measured, and the failures. */
export function summaryOf(parts: readonly DonePart[]): string {
  const names = [...new Set(parts.flatMap(({ counted }) => Object.keys(counted)))];
  const sums = names.map((name) => {
    const found = measuredIn(parts, name);
    return name.startsWith('ms ') ? timesOf(name, found) : `${found.reduce((a, b) => a + b, 0)} ${name}`;
  });
  const failed = parts.filter(({ failure }) => failure !== undefined).length;
  return [...sums, ...(failed === 0 ? [] : [`${failed} of ${parts.length} parts FAILED`])].join(', ');
}

/** A sentence for each measure whose p99 is above its limit in milliseconds. */
export function lateIn(
  parts: readonly DonePart[],
  limits: Readonly<Record<string, number>>,
): readonly string[] {
  return Object.entries(limits).flatMap(([name, most]) => {
    const p99 = shareOf(measuredIn(parts, name), 0.99);
    return p99 > most
      ? `p99 of "${name}" is ${p99.toFixed(0)}, and may be ${most}. Was the machine quiet? Measure again alone, with --lanes 1 and a new --progress file.`
      : [];
  });
}

/** The values of a name in the parts that passed. */
function measuredIn(parts: readonly DonePart[], name: string): readonly number[] {
  const passed = parts.filter(({ failure }) => failure === undefined);
  return passed.flatMap(({ counted }) => counted[name] ?? []);
}

function timesOf(name: string, times: readonly number[]): string {
  const at = (share: number): string => shareOf(times, share).toFixed(0);
  return `${name}: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`;
}

/** The time below which a share of the times lies; NaN without any. */
function shareOf(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
