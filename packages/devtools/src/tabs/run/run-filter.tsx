import type { ReactNode } from 'react';
import type { LaneFilter } from './lane-filter.ts';
import { useTexts } from '../../texts.ts';

type RunFilterProps = {
  readonly filter: LaneFilter;
  readonly tools: readonly string[];
  readonly counts: { readonly all: number; readonly errors: number; readonly slow: number };
  readonly onFilter: (filter: LaneFilter) => void;
};

/** The filter of the steps. */
export function RunFilter({ filter, tools, counts, onFilter }: RunFilterProps): ReactNode {
  const texts = useTexts().run;
  const choice = (only: LaneFilter['only'], label: (count: number) => string): ReactNode => (
    <button aria-pressed={filter.only === only} onClick={() => onFilter({ ...filter, only })}>
      {label(counts[only])}
    </button>
  );
  return (
    <div className="run-filter" role="group" aria-label={texts.filter}>
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
