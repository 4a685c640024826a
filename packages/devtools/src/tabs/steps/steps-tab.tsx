import { AgentState } from '@vitrine/core';
import { type ReactNode, useMemo, useState } from 'react';
import {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from '../../define-panel-tab.ts';
import { eventsStyles } from '../events/events-styles.ts';
import { stopStyles } from '../stop/stop-styles.ts';
import { inspectorStyles } from './inspector-styles.ts';
import { StepInspector } from './step-inspector.tsx';
import { StepList } from './step-list.tsx';
import { stepRecordOf } from './step-record.ts';
import { stepsStyles } from './steps-styles.ts';

/** The steps of a run, and one of them in detail. */
export const stepsTab: Required<PanelTab> = definePanelTab({
  id: 'steps',
  label: 'Steps',
  View: StepsView,
  styles: [stepsStyles, inspectorStyles, eventsStyles, stopStyles].join('\n'),
});

type Chosen = {
  readonly focus: PanelFocus | null;
  readonly stepId: string | null;
  readonly item: string | null;
};

function StepsView({ source, record, focus }: PanelTabProps): ReactNode {
  const [view, setView] = useState<StepViewId>('sent');
  const [chosen, setChosen] = useState<Chosen>({ focus: null, stepId: null, item: null });
  if (focus !== chosen.focus) {
    // Set while rendering, so that nothing else is shown in between.
    const isStep = focus !== null && 'stepId' in focus;
    setChosen({ focus, stepId: isStep ? focus.stepId : chosen.stepId, item: isStep ? focus.item : null });
    if (isStep) setView(focus.view);
  }
  const { state } = record;
  const steps = AgentState.steps(state);
  const found = steps.findIndex(({ id }) => id === chosen.stepId);
  // Without a choice the last step is followed.
  const selected = found < 0 ? steps.length - 1 : found;
  const stepRecord = useMemo(() => stepRecordOf(record, selected), [record, selected]);
  if (!stepRecord) return <p className="empty">No steps yet. They appear here while the agent runs.</p>;
  return (
    <div className="split">
      <StepList
        state={state}
        selected={selected}
        isFollowing={found < 0}
        onSelect={(stepId) => setChosen({ focus, stepId, item: null })}
      />
      <StepInspector
        // What was looked for opens what holds it.
        key={`${stepRecord.step.id} ${chosen.item}`}
        source={source}
        record={stepRecord}
        view={view}
        onView={setView}
        item={chosen.item}
      />
    </div>
  );
}
