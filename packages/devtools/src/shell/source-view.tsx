import { AgentState, AgentStep } from '@vitrine/core';
import {
  type Detector,
  eventsOf,
  type HubSource,
  type JournalRecord,
  type RecordedRun,
  type Recorder,
  runsOf,
} from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useDeferredValue,
  useEffect,
  useMemo,
  useState,
} from 'react';
import type { PanelFocus, PanelTab, PanelTabProps } from '../define-panel-tab.ts';
import { everything, IsPast, IsRunning, isRunning, Knowledge, RunStart } from '../kit/contexts.ts';
import { ErrorBoundary } from '../kit/later.tsx';
import { Notice } from '../kit/notice.tsx';
import { highlight, type PageItem, pageItemAround } from '../kit/page-items.ts';
import { TabList } from '../kit/tab-list.tsx';
import { useLive } from '../kit/use-throttled.ts';
import { BreakBar, PauseButton } from '../tabs/debug/break-bar.tsx';
import { FindingStrip } from '../tabs/findings/finding-view.tsx';
import { Findings, type RunFindings, useFindings } from '../tabs/findings/findings.ts';
import { RunMessages } from '../tabs/steps/message-view.tsx';
import { type Texts, useTexts } from '../texts.ts';
import { CommandMenu } from './command-menu.tsx';
import { type Command, ShellCommands } from './commands.ts';
import { Budgets, ContinueButton, Figures, Verdict } from './header.tsx';
import { MomentBar, nameOfRun, RunPicker } from './moment-bar.tsx';
import { traceCloser } from './open-trace.tsx';
import { PlaceLine } from './place-line.tsx';
import { live, type Place, placeOfRun, recordAtPlace, runAt } from './place.ts';
import type { RecordHit } from './search-record.ts';
import { SearchResults } from './search-results.tsx';
import { Sliced } from './sliced.tsx';
import { Toolbar } from './toolbar.tsx';

export type SourceViewProps = {
  readonly source: HubSource;
  readonly recorder: Recorder;
  readonly tabs: readonly Required<PanelTab>[];
  readonly detectors: readonly Detector[] | undefined;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly isPicking: boolean;
  readonly onPicking: (isPicking: boolean) => void;
  readonly isMenuOpen: boolean;
  readonly onMenu: (isOpen: boolean) => void;
  readonly search: RefObject<HTMLInputElement | null>;
  /** The beginning and the end of the line above. */
  readonly lead: ReactNode;
  readonly tail: ReactNode;
};

/** The texts for an element of the page that no step contains. */
const missing = { message: 'messageNotFound', call: 'callNotFound' } as const;

/** The view of one source: its header, the selected moment and the tabs. */
export function SourceView(props: SourceViewProps): ReactNode {
  const { source, recorder, tabs, tab, onTab, isPicking, onPicking, isMenuOpen, onMenu } = props;
  const { search, detectors } = props;
  const texts = useTexts();
  const whole = useLive(recorder, source);
  const [place, setPlace] = useState<Place>(live);
  const [focus, setFocus] = useState<PanelFocus | null>(null);
  const [query, setQuery] = useState('');
  const [message, setMessage] = useState('');
  const wanted = useDeferredValue(query.trim());
  const record = useMemo(() => recordAtPlace(whole, place), [whole, place]);
  const findings = useFindings(whole, record, source, detectors);
  const run = place.kind === 'run' ? runAt(whole, place) : undefined;
  /** Set when only the messages of the run are left. */
  const lost = run?.known === 'messages' ? run : null;
  const focusOn = (found: PanelFocus): void => {
    setFocus({ ...found });
    onTab('event' in found ? 'events' : 'run');
  };
  /** A tab that a person selects does not keep an earlier search focus. */
  const turnTo = (id: string): void => {
    setFocus(null);
    onTab(id);
  };
  const show = ({ place: there, focus: found }: Pick<RecordHit, 'place' | 'focus'>): void => {
    setPlace(there);
    focusOn(found);
    setQuery('');
  };
  const onEnd = useCallback(() => onPicking(false), [onPicking]);
  const onPick = (item: PageItem): void => {
    onPicking(false);
    // The page may already show what this panel draws a moment later.
    const found = itemInRecord(recorder.read(source), item);
    setMessage(found ? '' : texts.shell[missing[item.kind]]);
    if (found) show(found);
  };
  const commands = [
    ...tabs.map(({ id, label }) => ({ name: texts.commands.show(label), run: () => turnTo(id) })),
    { name: texts.search.label, run: () => search.current?.focus() },
    { name: texts.commands.inspect, run: () => onPicking(true) },
    ...placeCommands(whole, place, setPlace, texts),
    ...useContext(ShellCommands),
  ];
  return (
    <Contexts {...{ source, whole, record, place, findings }}>
      <Head
        {...props}
        {...{ whole, record, lost, place, query }}
        onPlace={setPlace}
        onQuery={setQuery}
        onFocus={focusOn}
      />
      {isPicking && <PagePicker onPick={onPick} onEnd={onEnd} />}
      <Notice text={message} />
      {wanted !== '' ? (
        <ErrorBoundary key="search">
          <SearchResults record={whole} wanted={wanted} onChoose={show} />
        </ErrorBoundary>
      ) : lost ? (
        <RunMessages state={whole.state} executionId={lost.executionId} />
      ) : (
        <Views {...{ tabs, tab, source, record, focus }} onTab={turnTo} onFocus={focusOn} />
      )}
      <ErrorBoundary>
        <MomentBar record={whole} place={place} onPlace={setPlace} isFile={traceCloser(source) !== null} />
      </ErrorBoundary>
      {isMenuOpen && <CommandMenu commands={commands} onClose={() => onMenu(false)} />}
    </Contexts>
  );
}

type ContextsProps = {
  readonly source: HubSource;
  readonly whole: JournalRecord;
  readonly record: JournalRecord;
  readonly place: Place;
  readonly findings: RunFindings;
  readonly children: ReactNode;
};

/** The facts about the shown run that views below read. */
function Contexts({ source, whole, record, place, findings, children }: ContextsProps): ReactNode {
  return (
    <RunStart.Provider value={record.state.execution?.startedAt ?? null}>
      <IsRunning.Provider value={place.kind === 'live' ? isRunning(record.state, source) : null}>
        <IsPast.Provider value={place.kind === 'moment'}>
          <Knowledge.Provider value={whole.knows ?? everything}>
            <Findings.Provider value={findings}>{children}</Findings.Provider>
          </Knowledge.Provider>
        </IsPast.Provider>
      </IsRunning.Provider>
    </RunStart.Provider>
  );
}

type HeadProps = Pick<SourceViewProps, 'source' | 'search' | 'lead' | 'tail'> & {
  readonly whole: JournalRecord;
  readonly record: JournalRecord;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
  /** The run, when only its messages are left. */
  readonly lost: RecordedRun | null;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onFocus: (focus: PanelFocus) => void;
};

/** The part above the views: one line with the figures, the budgets, and the verdict. */
function Head(props: HeadProps): ReactNode {
  const { source, search, lead, tail, whole, record, place, onPlace, lost, query, onQuery } = props;
  const { onFocus } = props;
  const { header } = useTexts();
  const number = lost?.number ?? record.state.executionCount;
  return (
    <>
      <Toolbar tail={tail}>
        {lead}
        <ErrorBoundary>
          <RunPicker record={whole} place={place} onPlace={onPlace} number={number} />
          {!lost && <Figures source={source} record={record} />}
        </ErrorBoundary>
        <SearchField field={search} query={query} onQuery={onQuery} />
      </Toolbar>
      <ErrorBoundary>
        {!lost && <Budgets source={source} record={record} />}
        <div className="result beside wrapping firm">
          {lost ? <p className="verdict">{header.notStored}</p> : <Verdict record={record} />}
          {!lost && <ContinueButton source={source} record={record} />}
          {place.kind === 'live' && <PauseButton source={source} state={whole.state} />}
        </div>
        {!lost && <FindingStrip record={record} onFocus={onFocus} />}
        <BreakBar source={source} state={whole.state} />
      </ErrorBoundary>
      <PlaceLine source={source} />
    </>
  );
}

type SearchFieldProps = {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly query: string;
  readonly onQuery: (query: string) => void;
};

/** The search: an icon, until it has the focus or a text. */
function SearchField({ field, query, onQuery }: SearchFieldProps): ReactNode {
  const { label, help } = useTexts().search;
  return (
    <span className="search">
      <svg viewBox="0 0 16 16" width="13" height="13" aria-hidden="true">
        <g fill="none" stroke="currentColor" strokeWidth="1.8">
          <circle cx="7" cy="7" r="4.6" />
          <path d="M10.5 10.5 14.5 14.5" />
        </g>
      </svg>
      <input
        ref={field}
        type="search"
        aria-label={label}
        title={help}
        placeholder={label}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          onQuery('');
          event.currentTarget.blur();
        }}
      />
    </span>
  );
}

function placeCommands(
  record: JournalRecord,
  place: Place,
  onPlace: (place: Place) => void,
  texts: Texts,
): readonly Command[] {
  const runs = [...runsOf(record)].reverse();
  return [
    ...(place.kind === 'live' ? [] : [{ name: texts.moments.backToLive, run: () => onPlace(live) }]),
    ...runs.map((run) => ({
      name: texts.commands.goTo(nameOfRun(run, texts)),
      run: () => onPlace(placeOfRun(record, run)),
    })),
  ];
}

type ViewsProps = Pick<SourceViewProps, 'tabs' | 'tab' | 'onTab'> & PanelTabProps;

/** The tabs of a source; an error in one view leaves the others. */
function Views({ tabs, tab, onTab, ...about }: ViewsProps): ReactNode {
  const texts = useTexts().shell;
  return (
    <TabList tabs={tabs} selected={tab} onSelect={onTab} label={texts.views}>
      {(id) => {
        const View = tabs.find((candidate) => candidate.id === id)?.View;
        const isLong = AgentState.stepCount(about.record.state) >= longRun;
        return (
          <ErrorBoundary key={id}>
            <Sliced isLong={isLong}>{View && <View {...about} />}</Sliced>
          </ErrorBoundary>
        );
      }}
    </TabList>
  );
}

/** Number of steps from which on a view comes behind the verdict, in slices. */
const longRun = 100;

/** Finds the step that made a call, gave an answer or first sent a message; null when it is unknown. */
function itemInRecord(
  record: JournalRecord,
  { kind, id }: Pick<PageItem, 'kind' | 'id'>,
): { readonly place: Place; readonly focus: PanelFocus } | null {
  for (const run of [...runsOf(record)].reverse()) {
    if (run.known === 'messages') continue;
    const focus = focusIn(record, run, kind, id);
    if (focus) return { place: placeOfRun(record, run), focus };
  }
  return null;
}

function focusIn(
  record: JournalRecord,
  run: RecordedRun,
  kind: PageItem['kind'],
  id: string,
): PanelFocus | null {
  const { state } = recordOfRun(record, run);
  const steps = AgentState.steps(state);
  for (const step of steps) {
    if (kind === 'call' && holdsCall(step, id))
      return { stepId: makesCall(step, id) ? step.id : id, view: 'tools', item: `call:${id}` };
    if (kind === 'message' && step.outputMessages.some((message) => message.id === id))
      return { stepId: step.id, view: 'received', item: `out:${id}` };
  }
  const first = steps[0];
  if (kind === 'call' || !first || !wasSaidIn(record, run, id)) return null;
  return { stepId: first.id, view: 'sent', item: id };
}

/** True for the step that made a call itself, and not by a subagent. */
function makesCall({ toolExecutions }: AgentStep, id: string): boolean {
  return toolExecutions.some((call) => call.id === id);
}

/** Tells whether a step contains a call, also in its subagents. */
function holdsCall(step: AgentStep, id: string): boolean {
  return step.toolExecutions.some(
    (call) =>
      call.id === id ||
      (call.childState !== null && AgentState.steps(call.childState).some((below) => holdsCall(below, id))),
  );
}

/** Tells whether a person's message was added before or during a run. */
function wasSaidIn(record: JournalRecord, run: RecordedRun, id: string): boolean {
  if (run.known === 'state')
    return AgentState.messages(recordOfRun(record, run).state).some((message) => message.id === id);
  return eventsOf(record)
    .slice(Math.max(0, run.first), run.last + 1)
    .some(({ event }) => event.type === 'message-add' && event.message.id === id);
}

type PagePickerProps = {
  readonly onPick: (item: PageItem) => void;
  /** Called when the person cancels. */
  readonly onEnd: () => void;
};

/** Lets a person pick a message or a call in the page. While rendered, it intercepts the next click. */
function PagePicker({ onPick, onEnd }: PagePickerProps): ReactNode {
  const texts = useTexts().shell;
  useEffect(() => {
    let under: { readonly element: Element; readonly end: () => void } | null = null;
    const leave = (): void => {
      under?.end();
      under = null;
    };
    const onMove = (event: Event): void => {
      const element = itemOf(event)?.element;
      if (element === under?.element) return;
      leave();
      if (element) under = { element, end: highlight(element, Infinity) };
    };
    const onClick = (event: Event): void => {
      if (isOnPanel(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const item = itemOf(event);
      if (item) onPick(item);
      else onEnd();
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onEnd();
    };
    const ending = new AbortController();
    const options = { capture: true, signal: ending.signal };
    document.addEventListener('pointermove', onMove, options);
    document.addEventListener('click', onClick, options);
    document.addEventListener('keydown', onKeyDown, options);
    return () => {
      leave();
      ending.abort();
    };
  }, [onPick, onEnd]);
  return <Notice text={texts.picking} />;
}

function itemOf(event: Event): PageItem | null {
  const [target] = event.composedPath();
  return pageItemAround(target as Element | null);
}

function isOnPanel(event: Event): boolean {
  return event
    .composedPath()
    .some((node) => node instanceof Element && node.hasAttribute('data-vitrine-devtools'));
}
