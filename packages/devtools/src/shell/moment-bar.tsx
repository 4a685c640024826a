import { eventsOf, type JournalRecord, type RecordedRun, runsOf } from '@vitrine/core/inspect';
import type { KeyboardEvent, ReactNode } from 'react';
import { preview } from '../kit/format.ts';
import { useTimeText } from '../kit/times.ts';
import { useThrottled } from '../kit/use-throttled.ts';
import { indexAt, live, momentOf, numbersOf, type Place, placeOfRun, runAt } from './place.ts';
import { type Texts, useTexts } from '../texts.ts';

type MomentBarProps = {
  readonly record: JournalRecord;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
};

/** Selects the run and the moment to inspect. The page does not change. */
export function MomentBar({ record, place, onPlace }: MomentBarProps): ReactNode {
  const timeText = useTimeText();
  const texts = useTexts();
  const { moments } = texts;
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
        aria-label={moments.run}
        value={run?.executionId}
        onChange={({ target }) => {
          const chosen = runs.find(({ executionId }) => executionId === target.value);
          if (chosen) onPlace(chosen === runs.at(-1) ? live : placeOfRun(record, chosen));
        }}
      >
        {runs.map((entry) => (
          <option key={entry.executionId} value={entry.executionId}>
            {nameOfRun(entry, texts)}
          </option>
        ))}
      </select>
      <input
        type="range"
        aria-label={moments.moment}
        title={moments.help}
        aria-valuetext={momentText(record, index, timeText, texts)}
        min={before}
        max={last}
        value={before + 1 + index}
        disabled={before === last}
        onChange={({ target }) => go(Number(target.value))}
        onKeyDown={onKeyDown}
      />
      <span className="figure moment-text">
        {place.kind === 'live'
          ? moments.live
          : place.kind === 'moment'
            ? momentText(record, index, timeText, texts)
            : run?.known === 'messages'
              ? moments.messagesOnly
              : moments.noEvents}
      </span>
      {place.kind !== 'live' && <button onClick={() => onPlace(live)}>{moments.backToLive}</button>}
      {place.kind === 'moment' && last > place.seen && <New count={last - place.seen} />}
    </div>
  );
}

/** Number of events since the person left the live view. */
function New({ count }: { readonly count: number }): ReactNode {
  const { moments } = useTexts();
  const shown = useThrottled(count, null);
  return (
    <span className="chip" role="status">
      {moments.newEvents(shown)}
    </span>
  );
}

/** The name of a run in lists. */
export function nameOfRun({ number, request, known }: RecordedRun, { moments }: Texts): string {
  return moments.runName(number, request === '' ? '' : preview(request, ['text'], 40), known);
}

function momentText(
  record: JournalRecord,
  index: number,
  timeText: (at: number) => string,
  { moments }: Texts,
): string {
  const events = eventsOf(record);
  const entry = events[index];
  if (!entry) return moments.beforeFirst;
  const { type, at } = entry.event;
  return moments.position(index + 1, events.length, entry.stepNumber, type, timeText(at));
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
