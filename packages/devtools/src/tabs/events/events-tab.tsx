import { eventsOf, type HubSource, type JournalRecord, type RecordedEvent } from '@vitrine/inspect';
import { type ReactNode, useContext, useDeferredValue, useEffect, useMemo, useState } from 'react';
import {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
} from '../../define-panel-tab.ts';
import { css } from '../../kit/css.ts';
import { Times } from '../../kit/contexts.ts';
import { FindingsAt } from '../findings/finding-view.tsx';
import { type Texts, texts as english, useTexts } from '../../texts.ts';
import { EventLog } from './event-log.tsx';
import { mergeDeltas } from './merge-deltas.ts';
import { summarizeEvent } from './summarize-event.ts';

export const eventsStyles: string = css`
  .event {
    display: grid;
    grid-template-columns: auto 30px auto minmax(0, 1fr);
    align-items: center;
    gap: 8px;
    padding: 0 10px;
  }
  .event[data-found='true'] {
    background: var(--select);
    outline: 1px solid var(--accent);
    outline-offset: -1px;
  }
`;

/** The number of the last cleared event of each source; kept while another tab is open. */
const cleared = new WeakMap<HubSource, number>();

/** The log of events, newest last. */
export const eventsTab: Required<PanelTab> = definePanelTab({
  id: 'events',
  label: english.tabs.events,
  View: EventsView,
  styles: eventsStyles,
});

function EventsView({ source, record: live, focus }: PanelTabProps): ReactNode {
  const texts = useTexts();
  const [paused, setPaused] = useState<JournalRecord | null>(null);
  const [query, setQuery] = useState('');
  const [clearedTo, setClearedTo] = useState(() => cleared.get(source) ?? 0);
  const [shownFor, setShownFor] = useState<PanelFocus | null>(null);
  const found = focus && 'event' in focus ? focus.event : null;
  if (focus !== shownFor) {
    // Set while rendering, so that the revealed event is in the list at once.
    setShownFor(focus);
    if (found !== null && found <= clearedTo) setClearedTo(0);
    if (found !== null) setQuery('');
  }
  useEffect(() => void cleared.set(source, clearedTo), [source, clearedTo]);
  const times = useContext(Times);
  const wanted = useDeferredValue(query.trim().toLowerCase());
  const record = paused ?? live;
  const all = useMemo(() => mergeDeltas(eventsOf(record)), [record]);
  const shown = useMemo(() => {
    if (clearedTo === 0 && wanted === '') return all.events;
    return all.events.filter((entry) => entry.number > clearedTo && matches(entry, wanted, texts));
  }, [all, clearedTo, wanted, texts]);
  return (
    <div className="fill">
      <div className="filter">
        <input
          type="search"
          aria-label={texts.events.filter}
          placeholder={texts.events.filterPlaceholder}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button onClick={() => setPaused(paused ? null : live)}>
          {paused ? texts.events.goOn : texts.events.pause}
        </button>
        <button onClick={() => setClearedTo(eventsOf(live).at(-1)?.number ?? 0)}>{texts.events.clear}</button>
        <button aria-pressed={times.isRelative} title={texts.events.sinceStartTitle} onClick={times.turn}>
          {texts.events.sinceStart}
        </button>
      </div>
      {record.missed > 0 && <p className="facts">{texts.events.missed(record.missed)}</p>}
      {record.dropped.events > 0 && (
        <p className="facts">{texts.events.dropped(record.dropped.events, record.dropped.steps)}</p>
      )}
      {found !== null && <FindingsAt record={live} event={found} />}
      {shown.length === 0 && (
        <p className="empty">{wanted === '' ? texts.events.none : texts.events.noMatch}</p>
      )}
      <EventLog events={shown} found={found === null ? null : (all.entryOf.get(found) ?? found)} />
    </div>
  );
}

function matches(entry: RecordedEvent, wanted: string, texts: Texts): boolean {
  return `${entry.event.type} ${summarizeEvent(entry, texts)}`.toLowerCase().includes(wanted);
}
