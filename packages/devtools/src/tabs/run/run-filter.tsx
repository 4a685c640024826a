import type { ReactNode } from 'react';
import { useTexts } from '../../texts.ts';
import type { Lane } from './lanes-of.ts';

type RunFilterProps = {
  readonly filter: LaneFilter;
  readonly tools: readonly string[];
  readonly counts: { readonly all: number; readonly errors: number; readonly slow: number };
  readonly onFilter: (filter: LaneFilter) => void;
};

export function RunFilter({ filter, tools, counts, onFilter }: RunFilterProps): ReactNode {
  const texts = useTexts().run;
  const choice = (only: LaneFilter['only'], label: (count: number) => string): ReactNode => (
    <button aria-pressed={filter.only === only} onClick={() => onFilter({ ...filter, only })}>
      {label(counts[only])}
    </button>
  );
  return (
    <div className="run-filter beside wrapping near" role="group" aria-label={texts.filter}>
      {choice('all', texts.all)}
      {choice('errors', texts.errors)}
      {choice('slow', texts.slowOnly)}
      {tools.length > 0 && (
        <select
          aria-label={texts.tool}
          value={filter.tool}
          onChange={({ target }) => onFilter({ ...filter, tool: target.value })}
        >
          <option value="">{texts.everyTool}</option>
          {tools.map((tool) => (
            <option key={tool} value={tool}>
              {tool}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

export type LaneFilter = {
  readonly only: 'all' | 'errors' | 'slow';
  /** The name of a tool; empty for all. */
  readonly tool: string;
};

export const everything: LaneFilter = { only: 'all', tool: '' };

/** Filters the steps of the root agent by their content, and keeps all lanes below them. */
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

/** The names of the called tools, sorted. */
export function toolsOf(lanes: readonly Lane[]): readonly string[] {
  return [...new Set(lanes.flatMap(({ kind, label }) => (kind === 'call' ? [label] : [])))].sort();
}

function groups(lanes: readonly Lane[]): Lane[][] {
  const found: Lane[][] = [];
  for (const lane of lanes) {
    if (lane.depth === 0) found.push([lane]);
    else found.at(-1)?.push(lane);
  }
  return found;
}

export function hideFolded(lanes: readonly Lane[], folded: ReadonlySet<string>): readonly Lane[] {
  if (folded.size === 0) return lanes;
  let hiddenBelow = Infinity;
  return lanes.filter(({ id, depth }) => {
    if (depth > hiddenBelow) return false;
    hiddenBelow = folded.has(id) ? depth : Infinity;
    return true;
  });
}
