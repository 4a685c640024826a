import type { ComponentProps, ReactNode } from 'react';
import { visibleText } from '../kit/hidden-characters.ts';
import { safeTargetOf } from '../kit/visible-text.tsx';
import type { Sources } from '../messages/conversation-settings.tsx';
import { useTexts } from '../texts-provider.tsx';
import type { Node } from './show-hidden.ts';

/** A rehype plugin that makes links of citations such as `[1]` and `[2, 3]`. Those without a source stay text. */
export function citeSources(sources: Sources): (tree: Node) => void {
  const urlOf = (number: string): string => sources[Number(number) - 1]?.url ?? '';
  return function cite(parent: Node): void {
    if (sources.length === 0 || !parent.children) return;
    parent.children = parent.children.flatMap((child) => {
      if (child.type === 'text')
        return (child.value ?? '').split(/(\[\d{1,3}(?:, ?\d{1,3}){0,9}\])/).flatMap(toNodes);
      if (!['a', 'code', 'pre'].includes(child.tagName ?? '')) cite(child);
      return [child];
    });
  };

  /** Every second piece of a text is a citation. */
  function toNodes(value: string, at: number): Node[] {
    const numbers = at % 2 === 0 ? null : value.slice(1, -1).split(/, ?/);
    if (numbers === null || !numbers.every((number) => safeTargetOf(urlOf(number))))
      return value === '' ? [] : [{ type: 'text', value }];
    return numbers.map((number) => {
      const href = urlOf(number);
      const title = [sources[Number(number) - 1]?.title, safeTargetOf(href)].filter(Boolean).join(', ');
      const properties = { href, title, dataCitation: number };
      return { type: 'element', tagName: 'a', properties, children: [{ type: 'text', value: number }] };
    });
  }
}

/** The link of a citation. Its name and the list below the answer show the real host. */
export function Citation({ title = '', children, ...link }: ComponentProps<'a'>): ReactNode {
  const { hiddenCharacters, messages } = useTexts();
  const label = `${String(children)}, ${messages.source(visibleText(title, hiddenCharacters))}`;
  return (
    <sup>
      <a {...link} target="_blank" rel="noopener noreferrer nofollow" aria-label={label} title={label}>
        {children}
      </a>
    </sup>
  );
}
