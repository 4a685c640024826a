import type { TreeRow } from './tree-rows.ts';

/** The action of a key: move to the row at an index, or toggle the active row. */
export type TreeKeyAction = { readonly moveTo: number } | 'toggle';

/** The action of a key in a tree after the ARIA pattern; null for other keys. */
export function treeKeyAction(key: string, rows: readonly TreeRow[], active: string): TreeKeyAction | null {
  const at = rows.findIndex((row) => row.path === active);
  const row = rows[at];
  if (!row) return { moveTo: 0 };
  switch (key) {
    case 'ArrowDown':
      return { moveTo: at + 1 };
    case 'ArrowUp':
      return { moveTo: at - 1 };
    case 'Home':
      return { moveTo: 0 };
    case 'End':
      return { moveTo: rows.length - 1 };
    case 'ArrowRight':
      return row.looks.isExpandable && !row.looks.isExpanded ? 'toggle' : { moveTo: at + 1 };
    case 'ArrowLeft':
      return row.looks.isExpanded
        ? 'toggle'
        : { moveTo: rows.findLastIndex((other, index) => index < at && other.depth < row.depth) };
    case 'Enter':
      return 'toggle';
    default:
      return null;
  }
}
