import type { RecordedEvent } from '@vitrine/inspect';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Json } from '../../kit/json.tsx';
import { rowOfKey, useRowWindow } from '../../kit/use-row-window.ts';
import { useTimeText } from '../../kit/contexts.ts';
import { useTexts } from '../../texts.ts';
import { shownEvent, summarizeEvent } from './summarize-event.ts';

const rowHeight = 22;

type EventLogProps = { readonly events: readonly RecordedEvent[]; readonly found?: number | null };

/**
 * A list of events that expand. It scrolls along while the reader is at the end. It is no live region,
 * because it may grow fast.
 */
export function EventLog({ events, found = null }: EventLogProps): ReactNode {
  const texts = useTexts();
  const { scroller, rows, room, reveal, isThere, isNearEnd } = useRowWindow(events, rowHeight);
  /** Numbers of events, because indexes change when old events are dropped. */
  const [active, setActive] = useState<number | null>(null);
  const [opened, setOpened] = useState<number | null>(null);
  const indexOf = (wanted: number | null): number =>
    wanted === null ? -1 : events.findIndex(({ number }) => number === wanted);
  /** The list opens at its end. */
  const isOpened = useRef(false);
  useEffect(() => {
    if (found !== null || active !== null || !isThere) return;
    if (!isOpened.current || isNearEnd()) reveal(events.length - 1);
    isOpened.current = true;
  }, [events.length, found, active, isThere, isNearEnd, reveal]);
  const foundAt = indexOf(found);
  useEffect(() => {
    if (foundAt >= 0) reveal(foundAt);
  }, [foundAt, reveal]);
  const open = (number: number | null): void => {
    setActive(number);
    setOpened(number === opened ? null : number);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = rowOfKey(event.key, indexOf(active), events.length);
    if (event.key === 'Enter') open(active);
    else if (target !== null) {
      setActive(events[target]?.number ?? null);
      reveal(target);
    } else return;
    event.preventDefault();
  };
  const openedAt = indexOf(opened);
  return (
    <>
      <div
        ref={scroller}
        className="scroll grow"
        tabIndex={0}
        role="listbox"
        aria-label={texts.events.label}
        aria-activedescendant={active === null ? undefined : `event-${active}`}
        onKeyDown={onKeyDown}
      >
        <div style={room}>
          {rows.map(({ item: entry, index, style }) => (
            <EventRow
              key={entry.number}
              entry={entry}
              style={style}
              isActive={entry.number === active}
              isFound={index === foundAt}
              onOpen={() => open(entry.number)}
            />
          ))}
        </div>
      </div>
      {openedAt >= 0 && (
        <div key={opened} className="whole firm">
          <Json value={shownEvent(events, openedAt, texts)} path={[]} />
        </div>
      )}
    </>
  );
}

type EventRowProps = {
  readonly entry: RecordedEvent;
  readonly style: CSSProperties;
  readonly isActive: boolean;
  readonly isFound: boolean;
  readonly onOpen: () => void;
};

function EventRow({ entry, style, isActive, isFound, onOpen }: EventRowProps): ReactNode {
  const { event, stepNumber, count } = entry;
  const texts = useTexts();
  const timeText = useTimeText();
  return (
    <div
      id={`event-${entry.number}`}
      className="placed event"
      role="option"
      aria-selected={isActive}
      data-found={isFound}
      style={style}
      onClick={onOpen}
    >
      <span className="figure">{timeText(event.at)}</span>
      <span className="step-number">{stepNumber ?? ''}</span>
      <span className="event-type mono">
        {event.path.length > 0 ? '↳ ' : ''}
        {event.type}
        {count > 1 ? ` ×${count}` : ''}
      </span>
      <span className="muted cut">{summarizeEvent(entry, texts)}</span>
    </div>
  );
}
