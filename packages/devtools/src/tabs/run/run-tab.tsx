import type { AgentState } from '@vitrine/core';
import { holdsFields } from '@vitrine/core/internal/kit/json';
import type { HubSource } from '@vitrine/inspect';
import { recordAt } from '@vitrine/inspect/internal/journal-record';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from '../../define-panel-tab.ts';
import { callAt, nameAt } from '../../kit/name-at.ts';
import { childRecord, stepRecordOf, writesOutside } from '../steps/step-record.ts';
import { MomentInspector, StepInspector, stepPageStyles } from '../steps/step-inspector.tsx';
import { type Lane, lanesOf } from './lanes-of.ts';
import { everything, filterLanes, type LaneFilter, RunFilter, toolsOf } from './run-filter.tsx';
import { runStyles } from './run-styles.ts';
import { slowLanes } from './slow-lanes.ts';
import { Waterfall, type WaterfallProps } from './waterfall.tsx';
import { texts as english, useTexts } from '../../texts.ts';

/** The steps of a run over time, and the inspector of one step. */
export const runTab: Required<PanelTab> = definePanelTab({
  id: 'run',
  label: english.tabs.run,
  View: RunView,
  styles: [runStyles, stepPageStyles].join('\n'),
});

type Chosen = {
  readonly focus: PanelFocus | null;
  readonly id: string | null;
  readonly item: string | null;
  readonly view: StepViewId;
  readonly filter: LaneFilter;
  /** True if a narrow panel shows the inspector in place of the list. */
  readonly isInside: boolean;
};

const nothing: Chosen = {
  focus: null,
  id: null,
  item: null,
  view: 'sent',
  filter: everything,
  isInside: false,
};
/** The selection of each source; kept while another view is open. */
const known = new WeakMap<HubSource, Chosen>();

function RunView({ source, record, focus }: PanelTabProps): ReactNode {
  const [chosen, setChosen] = useState(() => known.get(source) ?? nothing);
  const choose = (change: Partial<Chosen>): void => setChosen({ ...chosen, ...change });
  if (focus !== chosen.focus) {
    // Set while rendering, so that no other step is shown in between.
    const isStep = focus !== null && 'stepId' in focus;
    choose(
      isStep
        ? { focus, id: focus.stepId, item: focus.item, view: focus.view, filter: everything, isInside: true }
        : { focus, item: null },
    );
  }
  useEffect(() => void known.set(source, chosen), [source, chosen]);
  const all = useMemo(() => lanesOf(record), [record]);
  const found = all.find(({ id }) => id === chosen.id);
  // Without a selection the last step is shown.
  const lane = found ?? all.findLast(({ kind, depth }) => kind === 'step' && depth === 0);
  const own = useMemo(() => childRecord(record, lane?.path ?? []), [record, lane?.path]);
  const stepRecord = useMemo(() => (lane && own ? stepRecordOf(own, lane.index) : null), [own, lane]);
  const writes = writesOutside(record).find(({ where }) => lane?.kind === 'writes' && lane.id === where);
  const outside = useMemo(() => writes && recordAt(record, writes.to), [record, writes]);
  const onBack = (): void => choose({ isInside: false });
  const select = ({ id, kind }: Lane, isInside: boolean): void =>
    choose(
      kind === 'call' ? { id, item: `call:${id}`, view: 'tools', isInside } : { id, item: null, isInside },
    );
  const split = useTwoPages(chosen.isInside);
  if (!lane || !(stepRecord ?? writes)) return <MomentInspector source={source} record={record} />;
  return (
    <div ref={split} className="fill split" data-page={chosen.isInside ? 'inspector' : 'list'}>
      <Steps
        lanes={all}
        filter={chosen.filter}
        onFilter={(filter) => choose({ filter })}
        selected={lane.id}
        isFollowing={found === undefined}
        hasBreakpoint={(one) => hasBreakpoint(record.state, one, source.name)}
        onSelect={(one) => select(one, chosen.isInside)}
        onOpen={(one) => select(one, true)}
      />
      {writes && outside && (
        <MomentInspector
          key={writes.where}
          source={source}
          record={outside}
          outside={{ ...writes, onBack }}
        />
      )}
      {stepRecord && (
        <StepInspector
          // The key changes with the revealed item, so that its section opens.
          key={`${stepRecord.step.id} ${chosen.item}`}
          source={source}
          record={stepRecord}
          root={record}
          path={lane.path}
          agent={nameAt(record.state, lane.path)}
          view={chosen.view}
          onView={(view) => choose({ view })}
          onBack={onBack}
          item={chosen.item}
        />
      )}
    </div>
  );
}

/** True if a breakpoint stops at a step or a call. Models, budgets and findings belong to no row. */
function hasBreakpoint(
  root: AgentState,
  { id, kind, path, label, state }: Lane,
  nameOfRoot: string,
): boolean {
  return root.breakpoints.some(({ on }) => {
    if (on.type === 'step') return kind === 'step' && state === on.stepType;
    if (on.type !== 'tool' || kind !== 'call' || label !== on.toolName) return false;
    const isOfAgent = on.agent === undefined || on.agent === (nameAt(root, path) ?? nameOfRoot);
    return (
      isOfAgent &&
      (on.input === undefined || holdsFields(callAt(root, [...path, id])?.toolCall.input, on.input))
    );
  });
}

type StepsProps = Pick<
  WaterfallProps,
  'lanes' | 'hasBreakpoint' | 'selected' | 'isFollowing' | 'onSelect' | 'onOpen'
> & { readonly filter: LaneFilter; readonly onFilter: (filter: LaneFilter) => void };

/** The steps in time, and their filter, which appears when it is used. */
function Steps({ lanes: all, filter, onFilter, ...rows }: StepsProps): ReactNode {
  const texts = useTexts().run;
  const [isFiltering, setFiltering] = useState(false);
  const slow = useMemo(() => slowLanes(all), [all]);
  const tools = useMemo(() => toolsOf(all), [all]);
  const { only } = filter;
  // Another run may not have called the selected tool.
  const tool = tools.includes(filter.tool) ? filter.tool : '';
  const lanes = useMemo(() => filterLanes(all, { only, tool }, slow), [all, only, tool, slow]);
  const isShown = isFiltering || only !== 'all' || tool !== '';
  const count = (one: LaneFilter['only']): number =>
    filterLanes(all, { only: one, tool: '' }, slow).filter(
      ({ kind, depth }) => kind === 'step' && depth === 0,
    ).length;
  const turn = (): void => {
    setFiltering(!isShown);
    onFilter(everything);
  };
  return (
    <div className="steps stacked">
      {isShown && (
        <RunFilter
          filter={{ only, tool }}
          tools={tools}
          counts={{ all: count('all'), errors: count('errors'), slow: count('slow') }}
          onFilter={onFilter}
        />
      )}
      {lanes.length === 0 && <p className="empty">{texts.noMatch}</p>}
      <Waterfall lanes={lanes} slow={slow} {...rows}>
        <button className="filter-button bare-button in-small" aria-expanded={isShown} onClick={turn}>
          {texts.filterButton}
        </button>
      </Waterfall>
    </div>
  );
}

/**
 * Keeps the focus in sight where a narrow panel shows either a list or its inspector: it moves to the button
 * that leads back, and from there into the list.
 * @param isInside True if the inspector is shown in place of the list.
 * @returns The `ref` of the element around both.
 */
export function useTwoPages(isInside: boolean): RefObject<HTMLDivElement | null> {
  const whole = useRef<HTMLDivElement>(null);
  const wasInside = useRef(isInside);
  useEffect(() => {
    if (wasInside.current === isInside) return;
    wasInside.current = isInside;
    const back = whole.current?.querySelector<HTMLElement>('.back');
    // In a wide panel both are seen, and the button is not.
    if (!back || (isInside && back.offsetParent === null)) return;
    const list = whole.current?.querySelector<HTMLElement>('[role="tree"]');
    (isInside ? back : list)?.focus();
  }, [isInside]);
  return whole;
}
