import { AgentState } from '@vitrine/core';
import { type ReactNode, useState } from 'react';
import { definePanelTab, type PanelTab, type PanelTabProps } from '../../define-panel-tab.ts';
import { StepDetail } from './step-detail.tsx';
import { StepList } from './step-list.tsx';
import { stepsStyles } from './steps-styles.ts';

/** The steps of the present execution, and one of them in detail. */
export const stepsTab: Required<PanelTab> = definePanelTab({
  id: 'steps',
  label: 'Steps',
  View: StepsView,
  styles: stepsStyles,
});

function StepsView({ record: { state } }: PanelTabProps): ReactNode {
  const [chosen, setChosen] = useState<string | null>(null);
  const steps = AgentState.steps(state);
  const found = steps.findIndex((step) => step.id === chosen);
  // Without a choice the last step is followed.
  const selected = found < 0 ? steps.length - 1 : found;
  const step = steps[selected];
  if (!step) return <p className="empty">No steps yet. They appear here while the agent runs.</p>;
  const execution = AgentState.stepExecutions(state)[selected] ?? null;
  return (
    <div className="split">
      <StepList state={state} selected={selected} isFollowing={found < 0} onSelect={setChosen} />
      <StepDetail key={step.id} state={state} number={selected + 1} step={step} execution={execution} />
    </div>
  );
}
