import type { HubSource, Recorder } from '@vitrine/core/inspect';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import type { PanelFocus } from '../define-panel-tab.ts';
import { TabList } from '../kit/tab-list.tsx';
import { useLive } from '../kit/use-live.ts';
import { panelTabs } from '../tabs/index.ts';
import { RunMessages } from '../tabs/steps/run-messages.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Header } from './header.tsx';
import { MomentBar } from './moment-bar.tsx';
import { live, momentOf, type Place, recordAtPlace, runAt } from './place.ts';
import type { SearchHit } from './search-record.ts';
import { SearchResults } from './search-results.tsx';

type SourceViewProps = {
  readonly source: HubSource;
  readonly recorder: Recorder;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
};

/** One agent: where it stands, the moment that is looked at, and the tabs about it. */
export function SourceView({ source, recorder, tab, onTab }: SourceViewProps): ReactNode {
  const whole = useLive(recorder, source);
  const [place, setPlace] = useState<Place>(live);
  const [focus, setFocus] = useState<PanelFocus | null>(null);
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query.trim());
  const record = useMemo(() => recordAtPlace(whole, place), [whole, place]);
  const show = ({ number, focus: found }: SearchHit): void => {
    setPlace(momentOf(whole, number));
    setFocus({ ...found });
    onTab('event' in found ? 'events' : 'steps');
    setQuery('');
  };
  return (
    <>
      <Header source={source} record={record} />
      <div className="bar-row">
        <MomentBar record={whole} place={place} onPlace={setPlace} />
        <input
          type="search"
          aria-label="Search everything"
          placeholder="Search everything"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      {wanted !== '' ? (
        <SearchResults record={whole} wanted={wanted} onChoose={show} />
      ) : place.kind === 'run' && runAt(whole, place)?.known === 'messages' ? (
        <RunMessages state={whole.state} executionId={place.executionId} />
      ) : (
        <TabList tabs={panelTabs} selected={tab} onSelect={onTab} label="Views">
          {(id) => {
            const View = panelTabs.find((candidate) => candidate.id === id)?.View;
            return (
              <ErrorBoundary key={id}>
                {View && <View source={source} record={record} focus={focus} />}
              </ErrorBoundary>
            );
          }}
        </TabList>
      )}
    </>
  );
}
