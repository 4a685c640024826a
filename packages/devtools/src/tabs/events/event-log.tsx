import type { RecordedEvent } from '@vitrine/core/inspect';
import { type ReactNode, useEffect } from 'react';
import { formatTime } from '../../kit/format.ts';
import { useRowWindow } from '../../kit/use-row-window.ts';
import { summarizeEvent } from './summarize-event.ts';

const rowHeight = 22;

/** Events in rows; stays at the end for who is there. */
export function EventLog({ events }: { readonly events: readonly RecordedEvent[] }): ReactNode {
  const { scroller, rows, reveal, isNearEnd } = useRowWindow(events.length, rowHeight);
  useEffect(() => {
    if (isNearEnd()) reveal(events.length - 1);
  }, [events.length, isNearEnd, reveal]);
  return (
    <div ref={scroller} className="scroll log" tabIndex={0} role="log" aria-label="Events">
      <div style={{ height: events.length * rowHeight, position: 'relative' }}>
        {rows.map((index) => {
          const entry = events[index];
          return entry && <EventRow key={entry.number} entry={entry} top={index * rowHeight} />;
        })}
      </div>
    </div>
  );
}

function EventRow({ entry, top }: { readonly entry: RecordedEvent; readonly top: number }): ReactNode {
  const { event, stepNumber, count } = entry;
  return (
    <div className="event" style={{ top, height: rowHeight }}>
      <span className="figure">{formatTime(event.at)}</span>
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
