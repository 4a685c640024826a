import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { pageSize, type TreeRow, treeRows } from './tree-rows.ts';

const rowHeight = 22;

type TreeProps = {
  readonly root: unknown;
  readonly rootKey: string;
  readonly previous: unknown;
  readonly expanded: ReadonlySet<string>;
  readonly onExpanded: (expanded: ReadonlySet<string>) => void;
};

/** A tree after the ARIA pattern; only the rows in view are in the document. */
export function Tree({ root, rootKey, previous, expanded, onExpanded }: TreeProps): ReactNode {
  const [limits, setLimits] = useState<ReadonlyMap<string, number>>(new Map());
  const [active, setActive] = useState(rootKey);
  const [whole, setWhole] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () => treeRows(root, rootKey, { expanded, limits, previous }),
    [root, rootKey, expanded, limits, previous],
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });

  const toggle = (row: TreeRow): void => {
    setActive(row.path);
    if (row.more) {
      const { path } = row.more;
      setLimits((current) => new Map(current).set(path, (current.get(path) ?? pageSize) + pageSize));
    } else if (row.isExpandable) {
      const next = new Set(expanded);
      if (!next.delete(row.path)) next.add(row.path);
      onExpanded(next);
    } else if (typeof row.value === 'string') setWhole((current) => (current === row.path ? null : row.path));
  };
  const move = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    setActive(row.path);
    virtualizer.scrollToIndex(rows.indexOf(row));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = rows.findIndex((row) => row.path === active);
    const row = rows[at];
    if (!row) return move(0);
    const parent = rows.findLastIndex((other, index) => index < at && other.depth < row.depth);
    const actions: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => (row.isExpandable && !row.isExpanded ? toggle(row) : move(at + 1)),
      ArrowLeft: () => (row.isExpanded ? toggle(row) : move(parent)),
      Enter: () => toggle(row),
    };
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
  };
  const wholeRow = whole === null ? null : rows.find((row) => row.path === whole);
  return (
    <>
      <div
        ref={scroller}
        className="scroll tree"
        role="tree"
        aria-label="Object graph"
        tabIndex={0}
        aria-activedescendant={`row-${active}`}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <Row
                  key={row.path}
                  row={row}
                  top={item.start}
                  isActive={row.path === active}
                  onToggle={toggle}
                />
              )
            );
          })}
        </div>
      </div>
      {wholeRow && typeof wholeRow.value === 'string' && <pre className="whole">{wholeRow.value}</pre>}
    </>
  );
}

type RowProps = {
  readonly row: TreeRow;
  readonly top: number;
  readonly isActive: boolean;
  readonly onToggle: (row: TreeRow) => void;
};

function Row({ row, top, isActive, onToggle }: RowProps): ReactNode {
  return (
    <div
      id={`row-${row.path}`}
      className="row"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isActive}
      aria-expanded={row.isExpandable ? row.isExpanded : undefined}
      data-changed={row.isChanged}
      data-null={row.value === null && !row.more}
      style={{ top, height: rowHeight, paddingLeft: 8 + row.depth * 14 }}
      onClick={() => onToggle(row)}
    >
      <span className="twisty">{row.isExpandable ? (row.isExpanded ? '▾' : '▸') : ''}</span>
      {row.key !== '' && <span className="key">{row.key}</span>}
      <span className={`value ${row.more ? 'more' : typeof row.value}`}>{row.text}</span>
    </div>
  );
}
