import { type KeyboardEvent, type ReactNode, useId } from 'react';

type TabListProps = {
  readonly tabs: readonly { readonly id: string; readonly label: string }[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  /** The accessible name of the tab list. */
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
    const next = moves[event.key];
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
        className="tab-panel"
        data-tab={current?.id}
        role="tabpanel"
        aria-labelledby={`${prefix}${current?.id}`}
      >
        {current && children(current.id)}
      </div>
    </>
  );
}
