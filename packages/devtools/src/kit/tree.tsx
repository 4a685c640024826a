import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTexts } from '../texts.ts';
import { Json } from './json.tsx';
import { pageSize, type Revealed, rowId, type TreeRow as Row, treeRows } from './tree-rows.ts';
import { keyOf, rowOfKey, useRowWindow } from './use-row-window.ts';

const rowHeight = 22;

type TreeProps = {
  readonly root: unknown;
  readonly rootKey: string;
  readonly previous: unknown;
  /** The place that is initially selected and scrolled to; null when there is none. */
  readonly revealed: Revealed | null;
  readonly expanded: ReadonlySet<string>;
  readonly onExpanded: (expanded: ReadonlySet<string>) => void;
};

/** A tree after the ARIA pattern; only the rows in view are in the document. */
export function Tree({ root, rootKey, previous, revealed, expanded, onExpanded }: TreeProps): ReactNode {
  const texts = useTexts().values;
  const [limits, setLimits] = useState(revealed?.limits ?? new Map<string, number>());
  const [active, setActive] = useState(revealed?.path ?? rootKey);
  const [whole, setWhole] = useState<string | null>(null);
  const rows = useMemo(
    () => treeRows(root, rootKey, { expanded, limits, previous }),
    [root, rootKey, expanded, limits, previous],
  );
  const { scroller, rows: shown, room, reveal } = useRowWindow(rows, rowHeight);
  const list = useRevealed(revealed, rows, reveal);

  const toggle = (row: Row): void => {
    setActive(row.path);
    if (row.looks.more) {
      const { path } = row.looks.more;
      setLimits((current) => new Map(current).set(path, (current.get(path) ?? pageSize) + pageSize));
    } else if (row.looks.isExpandable) {
      const next = new Set(expanded);
      if (!next.delete(row.path)) next.add(row.path);
      onExpanded(next);
    } else if (typeof row.value === 'string') setWhole((current) => (current === row.path ? null : row.path));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = treeKeyAction(keyOf(event), rows, active);
    if (action === null) return;
    event.preventDefault();
    const at = action === 'toggle' ? rows.findIndex(({ path }) => path === active) : action.moveTo;
    const index = Math.max(0, Math.min(rows.length - 1, at));
    const row = rows[index];
    if (!row) return;
    if (action === 'toggle') return toggle(row);
    setActive(row.path);
    reveal(index);
  };
  const wholeRow = whole === null ? undefined : rows.find((row) => row.path === whole);
  return (
    <>
      <div
        ref={scroller}
        className="scroll grow tree mono"
        role="tree"
        aria-label={texts.tree}
        tabIndex={0}
        aria-activedescendant={rowId(active)}
        onKeyDown={onKeyDown}
      >
        <div ref={list} style={room}>
          {shown.map(({ item: row, style }) => (
            <TreeRow
              key={row.path}
              row={row}
              style={style}
              isActive={row.path === active}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
      {wholeRow && (
        <div key={wholeRow.path} className="whole firm">
          <Json value={wholeRow.value} path={wholeRow.keys} />
        </div>
      )}
    </>
  );
}

type TreeRowProps = {
  readonly row: Row;
  readonly style: CSSProperties;
  readonly isActive: boolean;
  readonly onToggle: (row: Row) => void;
};

function TreeRow({ row, style, isActive, onToggle }: TreeRowProps): ReactNode {
  const texts = useTexts();
  return (
    <div
      id={rowId(row.path)}
      className="placed row beside"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isActive}
      aria-expanded={row.looks.isExpandable ? row.looks.isExpanded : undefined}
      data-changed={row.looks.isChanged}
      data-null={row.value === null && !row.looks.more}
      style={{ ...style, paddingInlineStart: 8 + row.depth * 14 }}
      onClick={() => onToggle(row)}
    >
      <span className="twisty firm muted">
        {row.looks.isExpandable ? (row.looks.isExpanded ? '▾' : '▸') : ''}
      </span>
      {row.key !== '' && <span className="key">{row.key}</span>}
      <span className={`value cut ${row.looks.more ? 'more' : typeof row.value}`}>{row.textIn(texts)}</span>
    </div>
  );
}

/** The action of a key: move to the row at an index, or toggle the active row. */
type TreeKeyAction = { readonly moveTo: number } | 'toggle';

/** The action of a key in a tree after the ARIA pattern; null for other keys. */
export function treeKeyAction(key: string, rows: readonly Row[], active: string): TreeKeyAction | null {
  const at = rows.findIndex((row) => row.path === active);
  const row = rows[at];
  if (!row) return { moveTo: 0 };
  switch (key) {
    case 'ArrowRight':
      return row.looks.isExpandable && !row.looks.isExpanded ? 'toggle' : { moveTo: at + 1 };
    case 'ArrowLeft':
      return row.looks.isExpanded
        ? 'toggle'
        : { moveTo: rows.findLastIndex((other, index) => index < at && other.depth < row.depth) };
    case 'Enter':
      return 'toggle';
  }
  const moveTo = rowOfKey(key, at, rows.length);
  return moveTo === null ? null : { moveTo };
}

/**
 * Scrolls to the row that a tree was opened for, and focuses the tree.
 * @returns The `ref` of the element that contains the rows.
 */
function useRevealed(
  revealed: Revealed | null,
  rows: readonly Row[],
  reveal: (index: number) => void,
): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  // The initial index only: a person who scrolls on is not moved back when rows are added.
  const [index] = useState(() => (revealed ? rows.findIndex(({ path }) => path === revealed.path) : -1));
  useEffect(() => {
    if (index < 0) return;
    reveal(index);
    list.current?.parentElement?.focus();
  }, [index, reveal]);
  return list;
}
