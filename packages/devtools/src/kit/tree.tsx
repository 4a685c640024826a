import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import { Json } from './json.tsx';
import type { Revealed } from './reveal-path.ts';
import { treeKeyAction } from './tree-key-action.ts';
import { TreeRow } from './tree-row.tsx';
import { pageSize, rowId, type TreeRow as Row, treeRows } from './tree-rows.ts';
import { useRevealed } from './use-revealed.ts';
import { useRowWindow } from './use-row-window.ts';
import { useTexts } from '../texts.ts';

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
  const { scroller, rows: shown, reveal } = useRowWindow(rows.length, rowHeight);
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
    const action = treeKeyAction(event.key, rows, active);
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
        className="scroll tree"
        role="tree"
        aria-label={texts.tree}
        tabIndex={0}
        aria-activedescendant={rowId(active)}
        onKeyDown={onKeyDown}
      >
        <div ref={list} style={{ height: rows.length * rowHeight, position: 'relative' }}>
          {shown.map((index) => {
            const row = rows[index];
            const place = { top: index * rowHeight, height: rowHeight };
            return (
              row && (
                <TreeRow
                  key={row.path}
                  row={row}
                  {...place}
                  isActive={row.path === active}
                  onToggle={toggle}
                />
              )
            );
          })}
        </div>
      </div>
      {wholeRow && (
        <div key={wholeRow.path} className="whole">
          <Json value={wholeRow.value} path={wholeRow.keys} />
        </div>
      )}
    </>
  );
}
