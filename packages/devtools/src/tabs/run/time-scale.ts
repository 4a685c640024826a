import type { Lane } from './lanes-of.ts';

/** Maps times to places on the axis, from which idle time is cut out. */
export type TimeScale = {
  /** The place on the axis, from 0 to 1. */
  readonly place: (at: number) => number;
  /** The shortened gaps: their place and original length in milliseconds. */
  readonly gaps: readonly { readonly at: number; readonly ms: number }[];
  /** Length of the axis in milliseconds, without the cut time. */
  readonly ms: number;
};

/** Maximum drawn length of idle time in milliseconds; a twentieth of the work if that is longer. */
const longestPause = 1000;
/** Silence in milliseconds after which work counts as a sleeping computer. */
const longestSilence = 600_000;
const shownSilence = 30_000;

/** Creates the scale of some lanes. Sleeping laptops and absent people do not squeeze the rest. */
export function timeScale(lanes: readonly Lane[]): TimeScale {
  const segments = lanes.flatMap(({ segments: own }) => own);
  const bounds = [...lanes, ...segments].flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
  const times = bounds.filter((time, index) => time !== bounds[index - 1]);
  const work = mergeStretches(segments.filter(({ kind }) => kind !== 'person' && kind !== 'closed'));
  const workMs = work.reduce((sum, { from, to }) => sum + to - from, 0);
  const pause = Math.max(longestPause, workMs / 20);
  const places: number[] = [];
  const gaps: { at: number; ms: number }[] = [];
  let [shown, next] = [0, 0];
  for (const [index, time] of times.entries()) {
    const before = times[index - 1] ?? time;
    while ((work[next]?.to ?? Infinity) <= before) next++;
    const isWork = (work[next]?.from ?? Infinity) <= before;
    const length = time - before;
    const isCut = isWork ? length > longestSilence : length > 2 * pause;
    const drawn = isCut ? (isWork ? shownSilence : pause) : length;
    if (isCut) gaps.push({ at: shown + drawn / 2, ms: length });
    places.push((shown += drawn));
  }
  const total = Math.max(1, shown);
  return {
    place: (at) => placeOf(at, times, places) / total,
    gaps: gaps.map(({ at, ms }) => ({ at: at / total, ms })),
    ms: shown,
  };
}

type Stretch = { readonly from: number; readonly to: number };

/** Merges overlapping stretches of time, in order. */
export function mergeStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  const found: { from: number; to: number }[] = [];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else found.push({ from, to });
  }
  return found;
}

/** Interpolates between the two known times around a time. */
function placeOf(at: number, times: readonly number[], places: readonly number[]): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const [from, to] = [times[low] ?? 0, times[low + 1] ?? times[low] ?? 0];
  const [left, right] = [places[low] ?? 0, places[low + 1] ?? places[low] ?? 0];
  if (to === from || at <= from) return left;
  return left + ((Math.min(at, to) - from) / (to - from)) * (right - left);
}
