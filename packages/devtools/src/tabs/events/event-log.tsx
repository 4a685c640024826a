import type { RecordedEvent } from '@vitrine/core/inspect';
import { type ReactNode, useEffect } from 'react';
import { useTimeText } from '../../kit/times.ts';
import { useRowWindow } from '../../kit/use-row-window.ts';
import { summarizeEvent } from './summarize-event.ts';

const rowHeight = 22;

type EventLogProps = {
  readonly events: readonly RecordedEvent[];
  /** The number of the event that was looked for. */
  readonly found?: number | null;
};

/** Events in rows; stays at the end for who is there. */
export function EventLog({ events, found = null }: EventLogProps): ReactNode {
  const { scroller, rows, reveal, isNearEnd } = useRowWindow(events.length, rowHeight);
  useEffect(() => {
    if (found === null && isNearEnd()) reveal(events.length - 1);
  }, [events.length, found, isNearEnd, reveal]);
  const foundAt = found === null ? -1 : events.findIndex(({ number }) => number === found);
  useEffect(() => {
    if (foundAt >= 0) reveal(foundAt);
  }, [foundAt, reveal]);
  return (
    <div ref={scroller} className="scroll log" tabIndex={0} role="log" aria-label="Events">
      <div style={{ height: events.length * rowHeight, position: 'relative' }}>
        {rows.map((index) => {
          const entry = events[index];
          return (
            entry && (
              <EventRow
                key={entry.number}
                entry={entry}
                top={index * rowHeight}
                isFound={index === foundAt}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

type EventRowProps = {
  readonly entry: RecordedEvent;
  readonly top: number;
  readonly isFound: boolean;
};

function EventRow({ entry, top, isFound }: EventRowProps): ReactNode {
  const { event, stepNumber, count } = entry;
  const timeText = useTimeText();
  return (
    <div className="event" data-found={isFound} style={{ top, height: rowHeight }}>
      <span className="figure">{timeText(event.at)}</span>
      <span className="step-number">{stepNumber ?? ''}</span>
      <span className="event-type">
        {event.path.length > 0 ? '↳ ' : ''}
        {event.type}
        {count > 1 ? ` ×${count}` : ''}
      </span>
      <span className="event-summary">{summarizeEvent(entry)}</span>
    </div>
  );
}
