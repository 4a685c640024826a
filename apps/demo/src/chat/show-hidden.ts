import { visibleParts } from '@vitrine/react/components';

/** What is used of a node of a page's tree (hast). */
type Node = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
};

/** Puts marks in place of characters that nobody would see. A plugin of rehype, after what sanitises. */
export function showHidden(): (tree: Node) => void {
  return show;
}

function show(parent: Node): void {
  if (!parent.children) return;
  parent.children = parent.children.flatMap((child) => {
    if (child.type === 'text') return visibleParts(child.value ?? '').map(toNode);
    // Code is copied as it is, and shown by what copies it.
    if (child.tagName !== 'pre') show(child);
    return [child];
  });
}

function toNode(part: ReturnType<typeof visibleParts>[number]): Node {
  if ('text' in part) return { type: 'text', value: part.text };
  return {
    type: 'element',
    tagName: 'span',
    properties: { className: ['vitrine-hidden-characters'], title: part.title },
    children: [{ type: 'text', value: part.label }],
  };
}
