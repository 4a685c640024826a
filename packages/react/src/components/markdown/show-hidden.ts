import { visibleParts } from '../kit/hidden-characters.ts';
import type { UsedTexts } from '../texts.ts';

/** The used fields of a node of the page's tree (hast). */
type Node = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
};

/** A rehype plugin that replaces invisible characters by labels. It runs after the sanitiser. */
export function showHidden(words: UsedTexts['hiddenCharacters']): (tree: Node) => void {
  return function show(parent: Node): void {
    if (!parent.children) return;
    parent.children = parent.children.flatMap((child) => {
      if (child.type === 'text') return visibleParts(child.value ?? '', words).map(toNode);
      // Code is copied unchanged; its own component marks the characters.
      if (child.tagName !== 'pre') show(child);
      return [child];
    });
  };
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
