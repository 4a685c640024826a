import type { ReactNode } from 'react';
import { rowId, type TreeRow as Row } from './tree-rows.ts';
import { useTexts } from '../texts.ts';

type TreeRowProps = {
  readonly row: Row;
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly onToggle: (row: Row) => void;
};

/** One row of a tree. */
export function TreeRow({ row, top, height, isActive, onToggle }: TreeRowProps): ReactNode {
  const texts = useTexts();
  return (
    <div
      id={rowId(row.path)}
      className="row"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isActive}
      aria-expanded={row.looks.isExpandable ? row.looks.isExpanded : undefined}
      data-changed={row.looks.isChanged}
      data-null={row.value === null && !row.looks.more}
      style={{ top, height, paddingLeft: 8 + row.depth * 14 }}
      onClick={() => onToggle(row)}
    >
      <span className="twisty">{row.looks.isExpandable ? (row.looks.isExpanded ? '▾' : '▸') : ''}</span>
      {row.key !== '' && <span className="key">{row.key}</span>}
      <span className={`value ${row.looks.more ? 'more' : typeof row.value}`}>{row.textIn(texts)}</span>
    </div>
  );
}
