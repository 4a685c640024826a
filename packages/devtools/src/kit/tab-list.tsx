import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { useTexts } from '../texts.ts';
import { keyOf } from './use-row-window.ts';
import { Section } from './section.tsx';

type TabListProps = {
  readonly tabs: readonly { readonly id: string; readonly label: string }[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly label: string;
  /** Renders the content of the selected tab by its id. */
  readonly children: (id: string) => ReactNode;
};

/** A tab list after the ARIA pattern: the arrow keys move between tabs. */
export function TabList({ tabs, selected, onSelect, label, children }: TabListProps): ReactNode {
  const prefix = useId();
  const current = tabs.find((tab) => tab.id === selected) ?? tabs[0];
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = tabs.findIndex((tab) => tab === current);
    const moves: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = moves[keyOf(event)];
    if (next === undefined) return;
    const index = (next + tabs.length) % tabs.length;
    onSelect(tabs[index]?.id ?? selected);
    (event.currentTarget.children[index] as HTMLElement | undefined)?.focus();
    event.preventDefault();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, label: name }) => (
          <button
            key={id}
            id={`${prefix}${id}`}
            role="tab"
            aria-selected={id === current?.id}
            aria-controls={`${prefix}panel`}
            tabIndex={id === current?.id ? 0 : -1}
            onClick={() => onSelect(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        id={`${prefix}panel`}
        className="fill tab-panel"
        data-tab={current?.id}
        role="tabpanel"
        aria-labelledby={`${prefix}${current?.id}`}
      >
        {current && children(current.id)}
      </div>
    </>
  );
}

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
