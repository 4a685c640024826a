import type { Lane } from './lanes-of.ts';
import { mergeStretches } from './time-scale.ts';

/** Minimum duration of a slow lane in milliseconds. */
const least = 1000;

/**
 * Finds the lanes that stand out: they took three times the median of their kind. With fewer than four
 * lanes of a kind, half of the run's time. A step without another one has nothing to be compared with.
 */
export function slowLanes(lanes: readonly Lane[]): ReadonlySet<string> {
  const work = new Map(lanes.map((lane, index) => [lane.id, workOf(lane, withAllBelow(lanes, index))]));
  const msOf = ({ id }: Lane): number => work.get(id) ?? 0;
  const total = lanes.reduce((sum, lane) => sum + (lane.depth === 0 ? msOf(lane) : 0), 0);
  const slow = new Set<string>();
  for (const kind of ['step', 'call']) {
    const alike = lanes.filter((lane) => lane.kind === kind).map((lane) => ({ id: lane.id, ms: msOf(lane) }));
    const usual = alike.map(({ ms }) => ms).sort((a, b) => a - b)[alike.length >> 1] ?? 0;
    if (kind === 'step' && alike.length < 2) continue;
    for (const { id, ms } of alike) {
      const isMuch = alike.length >= 4 ? ms >= 3 * usual : ms >= total / 2;
      if (ms >= least && isMuch) slow.add(id);
    }
  }
  return slow;
}

/** The duration of a lane without the time in which it, or anything below it, waited for a person. */
function workOf({ durationMs, isOpen }: Lane, all: readonly Lane[]): number {
  if (isOpen) return 0;
  const asked = all.flatMap(({ segments }) => segments.filter(({ kind }) => kind === 'person'));
  return mergeStretches(asked).reduce((ms, { from, to }) => ms - (to - from), durationMs);
}

function withAllBelow(lanes: readonly Lane[], index: number): readonly Lane[] {
  const depth = lanes[index]?.depth ?? 0;
  let end = index + 1;
  while ((lanes[end]?.depth ?? 0) > depth) end++;
  return lanes.slice(index, end);
}
