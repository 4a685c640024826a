import type { ReactNode } from 'react';
import { Section } from './section.tsx';
import { useTexts } from '../texts.ts';

/** Number of items on one page; longer lists are split into pages that open one by one. */
const pageSize = 50;

type PagesProps<Item> = {
  readonly items: readonly Item[];
  /** The noun of the items in the plural. */
  readonly name: string;
  /** The page that is open initially. */
  readonly open: 'first' | 'last';
  /** Tells whether an item is to be revealed; its page is open too. */
  readonly isFound: (item: Item) => boolean;
  readonly children: (item: Item, index: number) => ReactNode;
};

/** Shows items in pages. A closed page renders nothing. */
export function Pages<Item>({ items, name, open, isFound, children }: PagesProps<Item>): ReactNode {
  const texts = useTexts().common;
  const count = Math.ceil(items.length / pageSize);
  if (count <= 1) return items.map(children);
  return Array.from({ length: count }, (_, page) => {
    const [from, to] = [page * pageSize, Math.min(items.length, (page + 1) * pageSize)];
    const shown = items.slice(from, to);
    return (
      <Section
        key={page}
        title={texts.page(name, from + 1, to)}
        isOpen={page === (open === 'first' ? 0 : count - 1) || shown.some(isFound)}
      >
        {shown.map((item, index) => children(item, from + index))}
      </Section>
    );
  });
}
