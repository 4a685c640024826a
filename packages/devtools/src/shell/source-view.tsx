import { type HubSource, type Recorder, runsOf } from '@vitrine/core/inspect';
import { type ReactNode, useCallback, useContext, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { PanelFocus, PanelTab, PanelTabProps } from '../define-panel-tab.ts';
import { ErrorBoundary } from '../kit/error-boundary.tsx';
import { PageLink } from '../kit/page-link.ts';
import { TabList } from '../kit/tab-list.tsx';
import { RunStart } from '../kit/times.ts';
import { IsRunning, isRunning } from '../kit/is-running.ts';
import { useLive } from '../kit/use-live.ts';
import { RunMessages } from '../tabs/steps/run-messages.tsx';
import { CommandMenu } from './command-menu.tsx';
import { type Command, ShellCommands } from './commands.ts';
import { Header } from './header.tsx';
import { itemInRecord } from './item-in-record.ts';
import { MomentBar, nameOfRun } from './moment-bar.tsx';
import { PagePicker } from './page-picker.tsx';
import type { PageItem } from './page-items.ts';
import { live, momentOf, type Place, placeOfRun, recordAtPlace, runAt } from './place.ts';
import type { SearchHit } from './search-record.ts';
import { SearchResults } from './search-results.tsx';
import { showInPage } from './show-in-page.ts';

type SourceViewProps = {
  readonly source: HubSource;
  readonly recorder: Recorder;
  readonly tabs: readonly Required<PanelTab>[];
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly isPicking: boolean;
  readonly onPicking: (isPicking: boolean) => void;
  readonly isMenuOpen: boolean;
  readonly onMenu: (isOpen: boolean) => void;
};

/** One agent: where it stands, the moment that is looked at, and the views of it. */
export function SourceView(props: SourceViewProps): ReactNode {
  const { source, recorder, tabs, tab, onTab, isPicking, onPicking, isMenuOpen, onMenu } = props;
  const whole = useLive(recorder, source);
  const [place, setPlace] = useState<Place>(live);
  const [focus, setFocus] = useState<PanelFocus | null>(null);
  const [query, setQuery] = useState('');
  const [told, setTold] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const shellCommands = useContext(ShellCommands);
  const wanted = useDeferredValue(query.trim());
  const record = useMemo(() => recordAtPlace(whole, place), [whole, place]);
  const focusOn = (found: PanelFocus): void => {
    setFocus({ ...found });
    onTab('event' in found ? 'events' : 'run');
  };
  const show = ({ number, focus: found }: Pick<SearchHit, 'number' | 'focus'>): void => {
    setPlace(momentOf(whole, number));
    focusOn(found);
    setQuery('');
  };
  const onEnd = useCallback(() => onPicking(false), [onPicking]);
  const onPick = (item: PageItem): void => {
    onPicking(false);
    const found = itemInRecord(whole, item);
    setTold(found ? '' : `This ${item.kind} is in no step that is known of this session.`);
    if (found) show(found);
  };
  const onSearch = useCallback(() => field.current?.focus(), []);
  const commands: readonly Command[] = [
    ...tabs.map(({ id, label }) => ({ name: `Show ${label}`, run: () => onTab(id) })),
    { name: 'Search everything', run: onSearch },
    { name: 'Inspect something in the page', run: () => onPicking(true) },
    ...(place.kind === 'live' ? [] : [{ name: 'Back to live', run: () => setPlace(live) }]),
    ...runsOf(whole)
      .toReversed()
      .map((run) => ({ name: `Go to ${nameOfRun(run)}`, run: () => setPlace(placeOfRun(whole, run)) })),
    ...shellCommands,
  ];
  return (
    <RunStart.Provider value={record.state.execution?.startedAt ?? null}>
      <IsRunning.Provider value={place.kind === 'live' ? isRunning(record.state, source) : null}>
        <PageLink.Provider value={showInPage}>
          <ErrorBoundary>
            <Header source={source} record={record} />
          </ErrorBoundary>
          <div className="bar-row">
            <ErrorBoundary>
              <MomentBar record={whole} place={place} onPlace={setPlace} />
            </ErrorBoundary>
            <input
              ref={field}
              type="search"
              aria-label="Search everything"
              placeholder="Search everything"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
          {isPicking && <PagePicker onPick={onPick} onEnd={onEnd} />}
          {told !== '' && (
            <p className="facts picker" role="status">
              {told}
            </p>
          )}
          {wanted !== '' ? (
            <ErrorBoundary key="search">
              <SearchResults record={whole} wanted={wanted} onChoose={show} />
            </ErrorBoundary>
          ) : place.kind === 'run' && runAt(whole, place)?.known === 'messages' ? (
            <RunMessages state={whole.state} executionId={place.executionId} />
          ) : (
            <Views {...{ tabs, tab, onTab, source, record, focus }} onFocus={focusOn} />
          )}
          {isMenuOpen && <CommandMenu commands={commands} onClose={() => onMenu(false)} />}
        </PageLink.Provider>
      </IsRunning.Provider>
    </RunStart.Provider>
  );
}

type ViewsProps = Pick<SourceViewProps, 'tabs' | 'tab' | 'onTab'> & PanelTabProps;

/** The views beside one another; one that throws is lost alone. */
function Views({ tabs, tab, onTab, ...about }: ViewsProps): ReactNode {
  return (
    <TabList tabs={tabs} selected={tab} onSelect={onTab} label="Views">
      {(id) => {
        const View = tabs.find((candidate) => candidate.id === id)?.View;
        return <ErrorBoundary key={id}>{View && <View {...about} />}</ErrorBoundary>;
      }}
    </TabList>
  );
}
