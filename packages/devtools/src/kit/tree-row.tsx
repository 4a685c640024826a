import type { ReactNode } from 'react';
import { rowId, type TreeRow as Row } from './tree-rows.ts';

type TreeRowProps = {
  readonly row: Row;
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly onToggle: (row: Row) => void;
};

/** One row of a tree. */
export function TreeRow({ row, top, height, isActive, onToggle }: TreeRowProps): ReactNode {
  return (
    <div
      id={rowId(row.path)}
      className="row"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isActive}
      aria-expanded={row.isExpandable ? row.isExpanded : undefined}
      data-changed={row.isChanged}
      data-null={row.value === null && !row.more}
      style={{ top, height, paddingLeft: 8 + row.depth * 14 }}
      onClick={() => onToggle(row)}
    >
      <span className="twisty">{row.isExpandable ? (row.isExpanded ? '▾' : '▸') : ''}</span>
      {row.key !== '' && <span className="key">{row.key}</span>}
      <span className={`value ${row.more ? 'more' : typeof row.value}`}>{row.text}</span>
    </div>
  );
}
