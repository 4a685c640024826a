import { eventsOf, type JournalRecord, type RecordedRun, runsOf } from '@vitrine/inspect';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { css } from '../kit/css.ts';
import { preview } from '../kit/format.ts';
import { useTimeText } from '../kit/contexts.ts';
import { useThrottled } from '../kit/use-throttled.ts';
import { type Texts, useTexts } from '../texts.ts';
import { Choice } from './toolbar.tsx';
import { indexAt, live, momentOf, numbersOf, type Place, placeOfRun, runAt } from './place.ts';

type MomentBarProps = {
  readonly record: JournalRecord;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
};

/** The shown run, and the choice of another one. */
export function RunPicker({
  record,
  place,
  onPlace,
  number,
}: MomentBarProps & {
  /** The number of the shown run; 0 before the first one. */
  readonly number: number;
}): ReactNode {
  const texts = useTexts();
  const runs = runsOf(record);
  if (runs.length === 0) return null;
  const at = runs.findIndex(({ executionId }) => executionId === runAt(record, place)?.executionId);
  return (
    <Choice
      label={texts.moments.run}
      names={runs.map((run) => nameOfRun(run, texts))}
      value={at}
      onChange={(index) => {
        const chosen = runs[index];
        if (chosen) onPlace(chosen === runs.at(-1) ? live : placeOfRun(record, chosen));
      }}
    >
      <span className="figure">{texts.header.run(number)}</span>
      <span className="request cut" data-first={at === 0} aria-hidden="true">
        {preview(runs[at]?.request ?? '', ['text'], 60)}
      </span>
    </Choice>
  );
}

/** Selects the moment to inspect. The page does not change. */
export function MomentBar({
  record,
  place,
  onPlace,
  isFile,
}: MomentBarProps & {
  /** True for a trace file, to which nothing is added. */
  readonly isFile: boolean;
}): ReactNode {
  const timeText = useTimeText();
  const texts = useTexts();
  const { moments } = texts;
  const index = indexAt(record, place);
  const run = runAt(record, place);
  const [isOpen, setOpen] = useState(false);
  const { before, last } = numbersOf(record);
  const go = (number: number): void => onPlace(momentOf(record, number));
  const leave = (): void => {
    setOpen(false);
    onPlace(live);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave();
    else if (event.key === '[') go(before + 1 + stepStart(record, index - 1, -1));
    else if (event.key === ']') go(before + 1 + stepStart(record, index + 1, 1));
    else return;
    event.preventDefault();
  };
  if (run === undefined) return null;
  return (
    <div className="moment beside firm spaced" data-past={place.kind !== 'live'}>
      {isOpen || place.kind === 'moment' ? (
        <input
          type="range"
          aria-label={moments.moment}
          title={moments.help}
          aria-valuetext={momentText(record, index, timeText, texts)}
          min={before}
          max={last}
          value={before + 1 + index}
          // The button that a person pressed is gone.
          autoFocus={isOpen}
          onChange={({ target }) => go(Number(target.value))}
          onKeyDown={onKeyDown}
        />
      ) : (
        <button disabled={before === last} title={moments.help} onClick={() => setOpen(true)}>
          {moments.lookBack}
        </button>
      )}
      <span className="figure moment-text cut">
        {place.kind === 'live'
          ? isFile
            ? moments.end
            : moments.live
          : place.kind === 'moment'
            ? momentText(record, index, timeText, texts)
            : run.known === 'messages'
              ? moments.messagesOnly
              : moments.noEvents}
      </span>
      {place.kind !== 'live' && (
        <button onClick={leave}>{isFile ? moments.toEnd : moments.backToLive}</button>
      )}
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

/** The styles of the row of moments, and of the search results. */
export const momentStyles: string = css`
  .moment {
    min-height: 26px;
    padding: 2px 10px;
    border-top: 1px solid var(--border);

    input {
      flex: 1 1 40px;
      min-width: 40px;
      margin: 0;
      padding: 0;
      border: 0;
      accent-color: var(--accent);
    }
    button {
      flex: none;
    }
    &[data-past='true'] {
      background: var(--changed);

      input {
        flex-basis: 90px;
      }
      .moment-text {
        color: var(--text);
      }
    }
  }
  .found-count {
    padding: 2px 12px;
  }
  .found {
    [role='option'] {
      padding: 2px 12px;
    }
    [role='option']:hover {
      background: var(--select);
    }
    .where {
      color: var(--accent);
      margin-inline-end: 8px;
    }
  }
`;
