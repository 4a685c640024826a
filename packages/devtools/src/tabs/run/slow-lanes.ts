import type { Lane } from './lane.ts';

/** What takes less is never slow, in milliseconds. */
const least = 1000;

/**
 * The ids of the lanes that stand out: they took three times what their like usually takes, or, where there are too few
 * to compare, half of the time of the run.
 */
export function slowLanes(lanes: readonly Lane[]): ReadonlySet<string> {
  const workOf = ({ segments, durationMs, isOpen }: Lane): number => {
    const waited = segments.reduce((sum, { kind, from, to }) => sum + (kind === 'person' ? to - from : 0), 0);
    return isOpen ? 0 : Math.max(0, durationMs - waited);
  };
  const total = lanes.reduce((sum, lane) => sum + (lane.depth === 0 ? workOf(lane) : 0), 0);
  const slow = new Set<string>();
  for (const kind of ['step', 'call']) {
    const alike = lanes
      .filter((lane) => lane.kind === kind)
      .map((lane) => ({ id: lane.id, ms: workOf(lane) }));
    const usual = alike.map(({ ms }) => ms).sort((a, b) => a - b)[alike.length >> 1] ?? 0;
    for (const { id, ms } of alike) {
      const isMuch = alike.length >= 4 ? ms >= 3 * usual : ms >= total / 2;
      if (ms >= least && isMuch) slow.add(id);
    }
  }
  return slow;
}
