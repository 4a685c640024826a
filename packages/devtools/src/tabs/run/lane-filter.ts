import type { Lane } from './lane.ts';

/** Which steps of a run are shown. */
export type LaneFilter = {
  readonly only: 'all' | 'errors' | 'slow';
  /** The name of a tool; empty for all. */
  readonly tool: string;
};

export const everything: LaneFilter = { only: 'all', tool: '' };

/** Steps of the root that have in them what is wanted, with all that is below them. */
export function filterLanes(
  lanes: readonly Lane[],
  { only, tool }: LaneFilter,
  slow: ReadonlySet<string>,
): readonly Lane[] {
  if (only === 'all' && tool === '') return lanes;
  const isWanted = (lane: Lane): boolean =>
    (only === 'all' || (only === 'errors' ? lane.hasError : slow.has(lane.id))) &&
    (tool === '' || (lane.kind === 'call' ? lane.label === tool : lane.tools.includes(tool)));
  return groups(lanes).flatMap((group) => (group.some(isWanted) ? group : []));
}

/** The tools that were called, in the order of their names. */
export function toolsOf(lanes: readonly Lane[]): readonly string[] {
  return [...new Set(lanes.flatMap(({ kind, label }) => (kind === 'call' ? [label] : [])))].sort();
}

/** Each step of the root with what is below it. */
function groups(lanes: readonly Lane[]): Lane[][] {
  const found: Lane[][] = [];
  for (const lane of lanes) {
    if (lane.depth === 0) found.push([lane]);
    else found.at(-1)?.push(lane);
  }
  return found;
}

/** Without what is below the lanes that are folded. */
export function unfolded(lanes: readonly Lane[], folded: ReadonlySet<string>): readonly Lane[] {
  if (folded.size === 0) return lanes;
  let hiddenBelow = Infinity;
  return lanes.filter(({ id, depth }) => {
    if (depth > hiddenBelow) return false;
    hiddenBelow = folded.has(id) ? depth : Infinity;
    return true;
  });
}
