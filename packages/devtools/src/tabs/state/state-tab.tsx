import type { AgentState } from '@vitrine/core';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { searchTree } from '../../kit/tree-rows.ts';
import { Tree } from '../../kit/tree.tsx';

const firstExpanded = [
  'AgentState',
  'AgentState.context',
  'AgentState.execution',
  'AgentState.execution.continuation',
];

/** The object graph of the live state. */
export function StateTab({ state }: { readonly state: AgentState }): ReactNode {
  const [query, setQuery] = useState('');
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set(firstExpanded));
  const previous = usePrevious(state);
  // Searched when there is time for it, so that typing and streaming stay smooth.
  const wanted = useDeferredValue(query.trim());
  const searched = useDeferredValue(state);
  const hits = useMemo(
    () => (wanted === '' ? null : searchTree(searched, 'AgentState', wanted)),
    [searched, wanted],
  );

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
      {hits === null ? (
        <Tree
          root={state}
          rootKey="AgentState"
          previous={previous}
          expanded={expanded}
          onExpanded={setExpanded}
        />
      ) : (
        <ul className="hits">
          {hits.length === 0 && <li className="empty">Nothing matches.</li>}
          {hits.map((hit) => (
            <li key={hit.path}>
              <button className="hit" onClick={() => reveal(hit.path)}>
                <span className="path">{hit.path}</span> {hit.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function usePrevious(state: AgentState): AgentState | undefined {
  const seen = useRef<{ current: AgentState; previous: AgentState | undefined }>({
    current: state,
    previous: undefined,
  });
  const [previous, setPrevious] = useState<AgentState | undefined>(undefined);
  useEffect(() => {
    if (seen.current.current === state) return;
    setPrevious(seen.current.current);
    seen.current = { current: state, previous: seen.current.current };
  }, [state]);
  return previous;
}
