import { visibleParts } from '../kit/hidden-characters.ts';
import type { UsedTexts } from '../texts.ts';

/** The used fields of a node of the page's tree (hast). */
export type Node = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
};

/**
 * A rehype plugin that replaces invisible characters by labels, and gives a text beside others an element of its own, as
 * `VisibleText` does. It runs after the sanitiser.
 */
export function showHidden(words: UsedTexts['hiddenCharacters']): (tree: Node) => void {
  return function show(parent: Node): void {
    if (!parent.children) return;
    parent.children = parent.children.flatMap((child) => {
      if (child.type === 'text') return visibleParts(child.value ?? '', words).map(toNode);
      // Code is copied unchanged; its own component marks the characters.
      if (child.tagName !== 'pre') show(child);
      return [child];
    });
    if (parent.children.length > 1) parent.children = parent.children.map(withElement);
  };
}

function withElement(node: Node): Node {
  if (node.type !== 'text' || node.value?.trim() === '') return node;
  return { type: 'element', tagName: 'span', properties: {}, children: [node] };
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
