import type { JournalRecord } from '@vitrine/inspect';
import { useContext, useEffect, useRef, useState } from 'react';
import { PanelWindow } from '../kit/panel-window.ts';
import type { Texts } from '../texts.ts';
import { type RecordHit, type SearchIndex, searchRecord } from './search-record.ts';

/** Time in milliseconds after which a search makes room for the page. */
const slice = 8;

type Found = {
  /** The text that was searched; its results stay while the next search is under way. */
  readonly wanted: string;
  readonly hits: readonly RecordHit[];
  readonly of: JournalRecord;
};

/** Searches a record in slices, and again when it has grown. Null until the first results. */
export function useSearch(record: JournalRecord, wanted: string, texts: Texts): Found | null {
  const view = useContext(PanelWindow) ?? window;
  const [found, setFound] = useState<Found | null>(null);
  const index = useRef<SearchIndex>(new Map());
  const latest = useRef(record);
  useEffect(() => {
    latest.current = record;
  }, [record]);
  const isDone = found?.wanted === wanted;
  /** A record that grows does not begin a search anew before it has ended. */
  const isBehind = isDone && found.of !== record;
  useEffect(() => {
    if (isDone && !isBehind) return undefined;
    const searched = latest.current;
    return inSlices(searchRecord(searched, wanted, { texts, index: index.current }), view, (hits) =>
      setFound({ wanted, hits, of: searched }),
    );
  }, [isDone, isBehind, wanted, texts, view]);
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
