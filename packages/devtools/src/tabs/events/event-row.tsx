import type { RecordedEvent } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { useTimeText } from '../../kit/times.ts';
import { summarizeEvent } from './summarize-event.ts';
import { useTexts } from '../../texts.ts';

type EventRowProps = {
  readonly entry: RecordedEvent;
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
  /** True if the event is to be revealed. */
  readonly isFound: boolean;
  readonly onOpen: () => void;
};

/** One event on one line. */
export function EventRow({ entry, top, height, isActive, isFound, onOpen }: EventRowProps): ReactNode {
  const { event, stepNumber, count } = entry;
  const texts = useTexts();
  const timeText = useTimeText();
  return (
    <div
      id={`event-${entry.number}`}
      className="event"
      role="option"
      aria-selected={isActive}
      data-found={isFound}
      style={{ top, height }}
      onClick={onOpen}
    >
      <span className="figure">{timeText(event.at)}</span>
      <span className="step-number">{stepNumber ?? ''}</span>
      <span className="event-type">
        {event.path.length > 0 ? '↳ ' : ''}
        {event.type}
        {count > 1 ? ` ×${count}` : ''}
      </span>
      <span className="event-summary">{summarizeEvent(entry, texts)}</span>
    </div>
  );
}
