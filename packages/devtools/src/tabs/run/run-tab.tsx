import type { HubSource } from '@vitrine/core/inspect';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from '../../define-panel-tab.ts';
import { childRecord, stepRecordOf } from '../steps/step-record.ts';
import { MomentInspector, StepInspector, stepPageStyles } from '../steps/step-inspector.tsx';
import { type Lane, lanesOf } from './lanes-of.ts';
import { everything, filterLanes, type LaneFilter, RunFilter, toolsOf } from './run-filter.tsx';
import { runStyles } from './run-styles.ts';
import { slowLanes } from './slow-lanes.ts';
import { Waterfall } from './waterfall.tsx';
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
  /** The id of a lane. */
  readonly id: string | null;
  readonly item: string | null;
  readonly view: StepViewId;
  readonly filter: LaneFilter;
};

const nothing: Chosen = { focus: null, id: null, item: null, view: 'sent', filter: everything };
/** The selection of each source; kept while another view is open. */
const known = new WeakMap<HubSource, Chosen>();

function RunView({ source, record, focus }: PanelTabProps): ReactNode {
  const texts = useTexts().run;
  const [chosen, setChosen] = useState(() => known.get(source) ?? nothing);
  const choose = (change: Partial<Chosen>): void => setChosen({ ...chosen, ...change });
  if (focus !== chosen.focus) {
    // Set while rendering, so that no other step is shown in between.
    const isStep = focus !== null && 'stepId' in focus;
    choose(
      isStep
        ? { focus, id: focus.stepId, item: focus.item, view: focus.view, filter: everything }
        : { focus, item: null },
    );
  }
  useEffect(() => void known.set(source, chosen), [source, chosen]);
  const all = useMemo(() => lanesOf(record), [record]);
  const slow = useMemo(() => slowLanes(all), [all]);
  const tools = useMemo(() => toolsOf(all), [all]);
  const { only } = chosen.filter;
  // Another run may not have called the selected tool.
  const tool = tools.includes(chosen.filter.tool) ? chosen.filter.tool : '';
  const lanes = useMemo(() => filterLanes(all, { only, tool }, slow), [all, only, tool, slow]);
  const found = all.find(({ id }) => id === chosen.id);
  // Without a selection the last step is shown.
  const lane = found ?? all.findLast(({ depth }) => depth === 0);
  const own = useMemo(() => childRecord(record, lane?.path ?? []), [record, lane?.path]);
  const stepRecord = useMemo(() => (lane && own ? stepRecordOf(own, lane.index) : null), [own, lane]);
  const select = ({ id, kind }: Lane): void => {
    choose(kind === 'call' ? { id, item: `call:${id}`, view: 'tools' } : { id, item: null });
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
        <RunFilter
          filter={{ only, tool }}
          tools={tools}
          counts={counts}
          onFilter={(filter) => choose({ filter })}
        />
        {lanes.length === 0 && <p className="empty">{texts.noMatch}</p>}
        <Waterfall
          lanes={lanes}
          slow={slow}
          selected={lane.id}
          isFollowing={found === undefined}
          onSelect={select}
        />
      </div>
      <StepInspector
        // The key changes with the revealed item, so that its section opens.
        key={`${stepRecord.step.id} ${chosen.item}`}
        source={source}
        record={stepRecord}
        isOfSubagent={lane.path.length > 0}
        view={chosen.view}
        onView={(view) => choose({ view })}
        item={chosen.item}
      />
    </div>
  );
}
