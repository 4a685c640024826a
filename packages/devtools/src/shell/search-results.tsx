import type { JournalRecord } from '@vitrine/inspect';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { rowOfKey } from '../kit/key-of.ts';
import { useRowWindow } from '../kit/use-row-window.ts';
import { useThrottled } from '../kit/use-throttled.ts';
import { mostRecordHits, type RecordHit } from './search-record.ts';
import { useSearch } from './use-search.ts';
import { type Texts, useTexts } from '../texts.ts';

const rowHeight = 24;
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
  const { scroller, rows, reveal } = useRowWindow(hits.length, rowHeight);
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
        className="scroll found"
        role="listbox"
        aria-label={texts.search.found}
        tabIndex={0}
        aria-activedescendant={`found-${active}`}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: hits.length * rowHeight, position: 'relative' }}>
          {rows.map((index) => {
            const hit = hits[index];
            return (
              hit && (
                <div
                  key={index}
                  id={`found-${index}`}
                  role="option"
                  aria-selected={index === active}
                  style={{ top: index * rowHeight, height: rowHeight }}
                  onClick={() => onChoose(hit)}
                >
                  <span className="where">{hit.where}</span>
                  {hit.text}
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

function foundText(count: number, { common, search }: Texts): string {
  if (count === 0) return common.nothingMatches;
  return count < mostRecordHits ? search.count(count) : search.first(count);
}
