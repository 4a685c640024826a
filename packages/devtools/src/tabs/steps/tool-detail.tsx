import { AgentState, AgentStep, type ToolExecution } from '@vitrine/core';
import { redactText } from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import { ErrorLine } from '../../kit/error-line.tsx';
import { formatCount, formatDuration, preview } from '../../kit/format.ts';
import { IsRunning } from '../../kit/is-running.ts';
import { Json } from '../../kit/json.tsx';
import { Section } from '../../kit/section.tsx';
import { useTimeText } from '../../kit/times.ts';
import { stepState } from './step-state.ts';

/** One call: its input, its result and the steps of its subagent. */
export function ToolDetail({ execution }: { readonly execution: ToolExecution }): ReactNode {
  const { toolCall, status, error, durationMs, approval, childState, pluginWrites, progress } = execution;
  return (
    <div className="tool" data-status={status}>
      <p className="tool-head">
        <code>{toolCall.name}</code> <span className="chip">{status}</span>
        {durationMs !== null && <span className="figure">{formatDuration(durationMs)}</span>}
      </p>
      <WhenItWas execution={execution} />
      <h4>Input</h4>
      <Json value={toolCall.input} path={['input']} />
      {progress !== null && (
        <>
          <h4>Last progress</h4>
          <Json value={progress} path={['progress']} />
        </>
      )}
      {'result' in execution && (
        <>
          <h4>Result</h4>
          <Json value={execution.result} path={['result']} />
        </>
      )}
      {error && <ErrorLine error={error} />}
      {approval && (
        <p className="facts">
          Approval: {approval.decision ?? 'waiting'}
          {approval.isEdited && ', with other arguments than the model gave'}
          {approval.reason && ` · asked because ${redactText(approval.reason, 'reason')}`}
          {approval.comment && ` · ${redactText(approval.comment, 'comment')}`}
        </p>
      )}
      {pluginWrites.length > 0 && (
        <p className="facts">
          Wrote{' '}
          {pluginWrites
            .map(
              ({ pluginId, fromRevision, toRevision }) =>
                `${pluginId} (revision ${fromRevision} → ${toRevision})`,
            )
            .join(', ')}
        </p>
      )}
      {childState && <ChildSteps state={childState} />}
    </div>
  );
}

function WhenItWas({ execution }: { readonly execution: ToolExecution }): ReactNode {
  const { startedAt, completedAt, settledAt } = execution;
  const timeText = useTimeText();
  const parts = [
    startedAt === null ? 'It has not started' : `Started ${timeText(startedAt)}`,
    ...(completedAt === null ? [] : [`ended ${timeText(completedAt)}`]),
    ...(settledAt === null ? [] : [`settled ${timeText(settledAt)}`]),
  ];
  return <p className="facts">{parts.join(' · ')}</p>;
}

function ChildSteps({ state }: { readonly state: AgentState }): ReactNode {
  const over = AgentState.stepExecutions(state).length;
  const title = [
    `Subagent: ${AgentState.status(state) ?? 'not started'}`,
    formatCount(AgentState.stepCount(state), 'step'),
    ...(AgentState.stopReason(state) === null ? [] : [AgentState.stopReason(state)]),
  ].join(', ');
  return (
    <Section title={title}>
      {AgentState.steps(state).map((step, index) => (
        <div key={step.id} className="child-step">
          <p>
            {index + 1}. <StepType step={step} isOver={index < over} />{' '}
            {preview(AgentStep.responseText(step), ['text'], 120)}
          </p>
          {step.toolExecutions.map((tool) => (
            <ToolDetail key={tool.id} execution={tool} />
          ))}
        </div>
      ))}
    </Section>
  );
}

function StepType({ step, isOver }: { readonly step: AgentStep; readonly isOver: boolean }): ReactNode {
  const type = stepState(step, { isOver, isRunning: useContext(IsRunning) });
  return <span className={`step-type ${type}`}>{type}</span>;
}
