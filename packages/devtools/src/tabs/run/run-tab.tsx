import { type ReactNode, useMemo, useState } from 'react';
import {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from '../../define-panel-tab.ts';
import { childRecord } from '../steps/child-record.ts';
import { MomentInspector } from '../steps/moment-inspector.tsx';
import { StepInspector, stepPageStyles } from '../steps/step-inspector.tsx';
import { stepRecordOf } from '../steps/step-record.ts';
import type { Lane } from './lane.ts';
import { everything, filterLanes, toolsOf } from './lane-filter.ts';
import { lanesOf } from './lanes-of.ts';
import { RunFilter } from './run-filter.tsx';
import { runStyles } from './run-styles.ts';
import { slowLanes } from './slow-lanes.ts';
import { Waterfall } from './waterfall.tsx';

/** A run: its steps in time, and one of them in detail. */
export const runTab: Required<PanelTab> = definePanelTab({
  id: 'run',
  label: 'Run',
  View: RunView,
  styles: [runStyles, stepPageStyles].join('\n'),
});

type Chosen = {
  readonly focus: PanelFocus | null;
  /** Of a lane. */
  readonly id: string | null;
  readonly item: string | null;
};

function RunView({ source, record, focus }: PanelTabProps): ReactNode {
  const [view, setView] = useState<StepViewId>('sent');
  const [chosen, setChosen] = useState<Chosen>({ focus: null, id: null, item: null });
  const [filter, setFilter] = useState(everything);
  if (focus !== chosen.focus) {
    // Set while rendering, so that nothing else is shown in between.
    const isStep = focus !== null && 'stepId' in focus;
    setChosen({ focus, id: isStep ? focus.stepId : chosen.id, item: isStep ? focus.item : null });
    if (isStep) {
      setView(focus.view);
      setFilter(everything);
    }
  }
  const all = useMemo(() => lanesOf(record), [record]);
  const slow = useMemo(() => slowLanes(all), [all]);
  const lanes = useMemo(() => filterLanes(all, filter, slow), [all, filter, slow]);
  const found = all.find(({ id }) => id === chosen.id);
  // Without a choice the last step is followed.
  const lane = found ?? all.findLast(({ depth }) => depth === 0);
  const own = useMemo(() => childRecord(record, lane?.path ?? []), [record, lane?.path]);
  const stepRecord = useMemo(() => (lane && own ? stepRecordOf(own, lane.index) : null), [own, lane]);
  const select = ({ id, kind }: Lane): void => {
    setChosen({ focus, id, item: kind === 'call' ? `call:${id}` : null });
    if (kind === 'call') setView('tools');
  };
  if (!lane || !stepRecord) return <MomentInspector source={source} record={record} />;
  const tops = all.filter(({ depth }) => depth === 0);
  const counts = {
    all: tops.length,
    errors: filterLanes(all, { only: 'errors', tool: '' }, slow).filter(({ depth }) => depth === 0).length,
    slow: filterLanes(all, { only: 'slow', tool: '' }, slow).filter(({ depth }) => depth === 0).length,
  };
  return (
    <div className="split">
      <div className="steps">
        <RunFilter filter={filter} tools={toolsOf(all)} counts={counts} onFilter={setFilter} />
        {lanes.length === 0 && <p className="empty">No step is like that.</p>}
        <Waterfall
          lanes={lanes}
          slow={slow}
          selected={lane.id}
          isFollowing={found === undefined}
          onSelect={select}
        />
      </div>
      <StepInspector
        // What was looked for opens what holds it.
        key={`${stepRecord.step.id} ${chosen.item}`}
        source={source}
        record={stepRecord}
        of={lane.path.length === 0 ? null : 'of a subagent'}
        view={view}
        onView={setView}
        item={chosen.item}
      />
    </div>
  );
}
