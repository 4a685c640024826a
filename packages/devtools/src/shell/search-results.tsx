import type { JournalRecord } from '@vitrine/inspect';
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useLatest } from '../kit/use-latest.ts';
import { rowOfKey, useRowWindow } from '../kit/use-row-window.ts';
import { PanelWindow } from '../kit/contexts.ts';
import { useThrottled } from '../kit/use-throttled.ts';
import { mostRecordHits, type RecordHit, type SearchIndex, searchRecord } from './search-record.ts';
import { type Texts, useTexts } from '../texts.ts';

const rowHeight = 24;
/** Time in milliseconds after which a search makes room for the page. */
const slice = 8;
const nothing: readonly RecordHit[] = [];

type SearchResultsProps = {
  readonly record: JournalRecord;
  readonly wanted: string;
  readonly onChoose: (hit: RecordHit) => void;
};

/** The results of a search; the arrow keys move and Enter opens. */
export function SearchResults({ record, wanted, onChoose }: SearchResultsProps): ReactNode {
  const texts = useTexts();
  const found = useSearch(record, wanted, texts);
  const hits = found?.hits ?? nothing;
  const count = useThrottled(hits.length, found?.wanted);
  const [{ active, search }, setChosen] = useState({ active: 0, search: wanted });
  // Set while rendering: a new search selects the first result.
  if (search !== wanted) setChosen({ active: 0, search: wanted });
  const { scroller, rows, room, reveal } = useRowWindow(hits, rowHeight);
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = rowOfKey(event.key, active, hits.length);
    const hit = hits[active];
    if (event.key === 'Enter' && hit) onChoose(hit);
    else if (target !== null) {
      setChosen({ active: target, search });
      reveal(target);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="fill">
      <p className="facts found-count" role="status">
        {found?.wanted === wanted ? foundText(count, texts) : texts.search.searching}
      </p>
      <div
        ref={scroller}
        className="scroll grow found"
        role="listbox"
        aria-label={texts.search.found}
        tabIndex={0}
        aria-activedescendant={`found-${active}`}
        onKeyDown={onKeyDown}
      >
        <div style={room}>
          {rows.map(({ item: hit, index, style }) => (
            <div
              key={index}
              id={`found-${index}`}
              className="placed cut"
              role="option"
              aria-selected={index === active}
              style={style}
              onClick={() => onChoose(hit)}
            >
              <span className="where">{hit.where}</span>
              {hit.text}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function foundText(count: number, { common, search }: Texts): string {
  if (count === 0) return common.nothingMatches;
  return count < mostRecordHits ? search.count(count) : search.first(count);
}

type Found = {
  /** The text that was searched; its results stay while the next search is under way. */
  readonly wanted: string;
  readonly hits: readonly RecordHit[];
  readonly of: JournalRecord;
};

/** Searches a record in slices, and again when it has grown. Null until the first results. */
function useSearch(record: JournalRecord, wanted: string, texts: Texts): Found | null {
  const view = useContext(PanelWindow) ?? window;
  const [found, setFound] = useState<Found | null>(null);
  const index = useRef<SearchIndex>(new Map());
  const latest = useLatest(record);
  const isDone = found?.wanted === wanted;
  /** A record that grows does not begin a search anew before it has ended. */
  const isBehind = isDone && found.of !== record;
  useEffect(() => {
    if (isDone && !isBehind) return undefined;
    const searched = latest.current;
    return inSlices(searchRecord(searched, wanted, { texts, index: index.current }), view, (hits) =>
      setFound({ wanted, hits, of: searched }),
    );
  }, [isDone, isBehind, wanted, texts, view, latest]);
  return found;
}

/** Does work a few milliseconds at a time. Returns the function that ends it. */
function inSlices<Result>(
  work: Generator<unknown, Result>,
  view: Window,
  onDone: (result: Result) => void,
): () => void {
  let timer = view.setTimeout(next);
  return () => view.clearTimeout(timer);

  function next(): void {
    const end = performance.now() + slice;
    do {
      const step = work.next();
      if (step.done === true) return onDone(step.value);
    } while (performance.now() < end);
    timer = view.setTimeout(next);
  }
}
