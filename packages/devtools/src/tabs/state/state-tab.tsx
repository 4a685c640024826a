import type { AgentState } from '@vitrine/core';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { definePanelTab, type PanelTab, type PanelTabProps } from '../../define-panel-tab.ts';
import { searchTree } from '../../kit/search-tree.ts';
import { Tree } from '../../kit/tree.tsx';
import { stateStyles } from './state-styles.ts';

const firstExpanded = [
  'AgentState',
  'AgentState.context',
  'AgentState.execution',
  'AgentState.execution.continuation',
];

/** The object graph of the live state. */
export const stateTab: Required<PanelTab> = definePanelTab({
  id: 'state',
  label: 'State',
  View: StateView,
  styles: stateStyles,
});

function StateView({ record: { state } }: PanelTabProps): ReactNode {
  const [query, setQuery] = useState('');
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set(firstExpanded));
  const previous = usePrevious(state);
  // Searched when there is time for it, so that typing and streaming stay smooth.
  const wanted = useDeferredValue(query.trim());
  const searched = useDeferredValue(state);

  const reveal = (path: string): void => {
    const keys = path.split('.');
    setExpanded(
      (current) => new Set([...current, ...keys.map((_, index) => keys.slice(0, index + 1).join('.'))]),
    );
    setQuery('');
  };
  return (
    <div className="fill">
      <div className="filter">
        <input
          type="search"
          aria-label="Search the state"
          placeholder="Search paths and values"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      {wanted === '' ? (
        <Tree
          root={state}
          rootKey="AgentState"
          previous={previous}
          expanded={expanded}
          onExpanded={setExpanded}
        />
      ) : (
        <Hits state={searched} wanted={wanted} onReveal={reveal} />
      )}
    </div>
  );
}

type HitsProps = {
  readonly state: AgentState;
  readonly wanted: string;
  readonly onReveal: (path: string) => void;
};

function Hits({ state, wanted, onReveal }: HitsProps): ReactNode {
  const hits = useMemo(() => searchTree(state, 'AgentState', wanted), [state, wanted]);
  return (
    <ul className="hits">
      {hits.length === 0 && <li className="empty">Nothing matches.</li>}
      {hits.map((hit) => (
        <li key={hit.path}>
          <button className="hit" onClick={() => onReveal(hit.path)}>
            <span className="path">{hit.path}</span> {hit.text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The state that was shown before this one. */
function usePrevious(state: AgentState): AgentState | undefined {
  const [shown, setShown] = useState<{ readonly now: AgentState; readonly before: AgentState | undefined }>({
    now: state,
    before: undefined,
  });
  if (shown.now === state) return shown.before;
  // Set while rendering, so that nothing is shown in between.
  setShown({ now: state, before: shown.now });
  return shown.now;
}
