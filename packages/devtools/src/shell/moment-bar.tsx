import { eventsOf, type JournalRecord, type RecordedRun, runsOf } from '@vitrine/core/inspect';
import type { KeyboardEvent, ReactNode } from 'react';
import { preview } from '../kit/format.ts';
import { useTimeText } from '../kit/times.ts';
import { useThrottled } from '../kit/use-throttled.ts';
import { indexAt, live, momentOf, numbersOf, type Place, placeOfRun, runAt } from './place.ts';

type MomentBarProps = {
  readonly record: JournalRecord;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
};

/** Selects the run and the moment to inspect. The page does not change. */
export function MomentBar({ record, place, onPlace }: MomentBarProps): ReactNode {
  const timeText = useTimeText();
  const runs = runsOf(record);
  const index = indexAt(record, place);
  const run = runAt(record, place);
  const { before, last } = numbersOf(record);
  const go = (number: number): void => onPlace(momentOf(record, number));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onPlace(live);
    else if (event.key === '[') go(before + 1 + stepStart(record, index - 1, -1));
    else if (event.key === ']') go(before + 1 + stepStart(record, index + 1, 1));
    else return;
    event.preventDefault();
  };
  if (runs.length === 0) return null;
  return (
    <div className="moment" data-past={place.kind !== 'live'}>
      <select
        aria-label="Run"
        value={run?.executionId}
        onChange={({ target }) => {
          const chosen = runs.find(({ executionId }) => executionId === target.value);
          if (chosen) onPlace(chosen === runs.at(-1) ? live : placeOfRun(record, chosen));
        }}
      >
        {runs.map((entry) => (
          <option key={entry.executionId} value={entry.executionId}>
            {nameOfRun(entry)}
          </option>
        ))}
      </select>
      <input
        type="range"
        aria-label="Moment"
        title="Arrow keys: event by event. [ and ]: step by step. Escape: back to live."
        aria-valuetext={momentText(record, index, timeText)}
        min={before}
        max={last}
        value={before + 1 + index}
        disabled={before === last}
        onChange={({ target }) => go(Number(target.value))}
        onKeyDown={onKeyDown}
      />
      <span className="figure moment-text">
        {place.kind === 'live'
          ? 'live'
          : place.kind === 'moment'
            ? momentText(record, index, timeText)
            : run?.known === 'messages'
              ? 'messages only'
              : 'no events'}
      </span>
      {place.kind !== 'live' && <button onClick={() => onPlace(live)}>Back to live</button>}
      {place.kind === 'moment' && last > place.seen && <New count={last - place.seen} />}
    </div>
  );
}

/** Number of events since the person left the live view. */
function New({ count }: { readonly count: number }): ReactNode {
  return (
    <span className="chip" role="status">
      +{useThrottled(count, null)} new
    </span>
  );
}

const notes = {
  events: '',
  state: ' (from the stored state)',
  stored: ' (from the store)',
  messages: ' (messages only)',
} as const;

/** The name of a run in lists. */
export function nameOfRun({ number, request, known }: RecordedRun): string {
  return `Run ${number}${request === '' ? '' : ` · ${preview(request, ['text'], 40)}`}${notes[known]}`;
}

function momentText(record: JournalRecord, index: number, timeText: (at: number) => string): string {
  const events = eventsOf(record);
  const entry = events[index];
  if (!entry) return 'before the first event';
  const step = entry.stepNumber === null ? '' : `step ${entry.stepNumber}, `;
  return `${index + 1} of ${events.length}: ${step}${entry.event.type}, ${timeText(entry.event.at)}`;
}

/**
 * The index of the nearest start of a step from an index on; the end of the record in that direction when
 * there is none.
 */
function stepStart(record: JournalRecord, from: number, direction: 1 | -1): number {
  const events = eventsOf(record);
  for (let at = from; at >= 0 && at < events.length; at += direction) {
    const event = events[at]?.event;
    if (event?.type === 'step-start' && event.path.length === 0) return at;
  }
  return direction === 1 ? events.length - 1 : -1;
}
