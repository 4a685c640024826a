import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { css } from '../../kit/css.ts';
import { mostHits, type SearchHit, searchTree } from '../../kit/search-tree.ts';
import { type Revealed, revealPath } from '../../kit/tree-rows.ts';
import { Tree } from '../../kit/tree.tsx';
import { useTexts } from '../../texts.ts';

export const stateTreeRoot = 'AgentState';

const expandedAtFirst: ReadonlySet<string> = new Set([
  'AgentState',
  'AgentState.context',
  'AgentState.execution',
  'AgentState.execution.continuation',
]);

type StateTreeProps = {
  readonly root: unknown;
  readonly rootKey: string;
  /** The state to compare with; undefined marks no changes. */
  readonly previous: unknown;
};

/** An object tree with a search field. */
export function StateTree({ root, rootKey, previous }: StateTreeProps): ReactNode {
  const texts = useTexts().state;
  const [query, setQuery] = useState('');
  const [expanded, setExpanded] = useState(expandedAtFirst);
  // Deferred, so that typing and streaming stay smooth.
  const wanted = useDeferredValue(query.trim());
  const searched = useDeferredValue(wanted === '' ? null : root);
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const reveal = ({ keys }: SearchHit): void => {
    const found = revealPath(root, rootKey, keys);
    setRevealed(found);
    setExpanded((current) => new Set([...current, ...found.expanded]));
    setQuery('');
  };
  return (
    <>
      <input
        type="search"
        className="state-search"
        aria-label={texts.search}
        placeholder={texts.searchPlaceholder}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <div className="state-tree stacked">
        {wanted === '' ? (
          <Tree
            root={root}
            rootKey={rootKey}
            previous={previous}
            revealed={revealed}
            expanded={expanded}
            onExpanded={setExpanded}
          />
        ) : (
          <Hits root={searched} rootKey={rootKey} wanted={wanted} onReveal={reveal} />
        )}
      </div>
    </>
  );
}

type HitsProps = {
  readonly root: unknown;
  readonly rootKey: string;
  readonly wanted: string;
  readonly onReveal: (hit: SearchHit) => void;
};

function Hits({ root, rootKey, wanted, onReveal }: HitsProps): ReactNode {
  const texts = useTexts();
  const hits = useMemo(() => searchTree(root, rootKey, wanted, { texts }), [root, rootKey, wanted, texts]);
  return (
    <ul className="hits plain-list">
      {hits.length >= mostHits && <li className="facts">{texts.state.firstHits(mostHits)}</li>}
      {hits.length === 0 && <li className="empty">{texts.common.nothingMatches}</li>}
      {hits.map((hit) => (
        <li key={hit.keys.join('.')}>
          <button className="hit cut" onClick={() => onReveal(hit)}>
            <span className="path mono">{hit.path}</span> {hit.text}
          </button>
        </li>
      ))}
    </ul>
  );
}

export const stateStyles: string = css`
  .hits {
    margin: 4px 0;
    overflow: auto;
  }
  .hit {
    width: 100%;
    border: 0;
    border-radius: 0;
    text-align: start;
    white-space: nowrap;

    &:hover {
      background: var(--sunken);
    }
  }
  .path {
    color: var(--accent);
  }
`;
