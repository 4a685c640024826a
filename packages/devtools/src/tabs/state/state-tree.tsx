import { redact, redacted } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { css } from '../../kit/css.ts';
import { describeNode } from '../../kit/describe-node.ts';
import { childrenOf } from '../../kit/tree-children.ts';
import { isSecretAt, type Revealed, revealPath } from '../../kit/tree-rows.ts';
import { Tree } from '../../kit/tree.tsx';
import { type Texts, useTexts } from '../../texts.ts';

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

/** Maximum depth of a search; no document is deeper. */
const deepest = 1_000;

type SearchHit = {
  /** The path with secrets redacted. */
  readonly path: string;
  /** The keys from the root; a key may contain dots. */
  readonly keys: readonly string[];
  readonly text: string;
};

const mostHits = 300;

/** Searches the paths and values of a tree for a text, up to a limit of results. */
export function searchTree(
  root: unknown,
  rootKey: string,
  query: string,
  { texts, limit = mostHits }: { readonly texts: Texts; readonly limit?: number },
): SearchHit[] {
  const wanted = query.toLowerCase();
  const hits: SearchHit[] = [];
  // Steps share their messages, so each object is visited once.
  const seen = new Set<unknown>();
  const safeNames = new Map<string, string>();
  const safe = (name: string): string => {
    const known = safeNames.get(name) ?? redactText(name, 'key');
    safeNames.set(name, known);
    return known;
  };
  visit(root, rootKey, [rootKey], []);
  return hits;

  function visit(value: unknown, key: string, shown: readonly string[], keys: readonly string[]): void {
    if (hits.length >= limit || seen.has(value) || keys.length > deepest) return;
    if (typeof value === 'object' && value !== null) seen.add(value);
    const isSecret = isSecretAt(keys);
    const isLeaf = typeof value !== 'object' || value === null;
    const path = shown.join('.');
    const haystack =
      `${path} ${isLeaf && !isSecret ? String(redact(value, { path: keys })) : ''}`.toLowerCase();
    if (haystack.includes(wanted) && (isLeaf || shown.at(-1)?.toLowerCase().includes(wanted))) {
      hits.push({
        path,
        keys,
        text: isSecret ? redacted : describeNode(keys.length === 0 ? [key] : keys, value, texts),
      });
    }
    if (!isSecret)
      for (const [childKey, child] of childrenOf(value))
        visit(child, childKey, [...shown, safe(childKey)], [...keys, childKey]);
  }
}
