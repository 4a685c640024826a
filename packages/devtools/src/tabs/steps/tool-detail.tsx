import { AgentState, AgentStep, type ToolExecution } from '@vitrine/core';
import { redactText } from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import { ErrorLine } from '../../kit/error-line.tsx';
import { preview } from '../../kit/format.ts';
import { IsRunning } from '../../kit/is-running.ts';
import { Json } from '../../kit/json.tsx';
import { Section } from '../../kit/section.tsx';
import { useTimeText } from '../../kit/times.ts';
import { stepState } from './step-state.ts';
import { useTexts } from '../../texts.ts';

/** One call: its input, its result and the steps of its subagent. */
export function ToolDetail({ execution }: { readonly execution: ToolExecution }): ReactNode {
  const { toolCall, status, error, durationMs, approval, childState, pluginWrites, progress } = execution;
  const texts = useTexts();
  const { calls } = texts;
  return (
    <div className="tool" data-status={status}>
      <p className="tool-head">
        <code>{toolCall.name}</code> <span className="chip">{texts.callStates[status] ?? status}</span>
        {durationMs !== null && <span className="figure">{texts.formats.duration(durationMs)}</span>}
      </p>
      <WhenItWas execution={execution} />
      <h4>{calls.input}</h4>
      <Json value={toolCall.input} path={['input']} />
      {progress !== null && (
        <>
          <h4>{calls.lastProgress}</h4>
          <Json value={progress} path={['progress']} />
        </>
      )}
      {'result' in execution && (
        <>
          <h4>{texts.common.result}</h4>
          <Json value={execution.result} path={['result']} />
        </>
      )}
      {error && <ErrorLine error={error} />}
      {approval && (
        <p className="facts">
          {calls.approval(
            approval.decision,
            approval.isEdited,
            approval.reason ? redactText(approval.reason, 'reason') : null,
            approval.comment ? redactText(approval.comment, 'comment') : null,
          )}
        </p>
      )}
      {pluginWrites.length > 0 && (
        <p className="facts">
          {calls.wrote(
            pluginWrites.map(({ pluginId, fromRevision, toRevision }) =>
              calls.write(pluginId, fromRevision, toRevision),
            ),
          )}
        </p>
      )}
      {childState && <ChildSteps state={childState} />}
    </div>
  );
}

function WhenItWas({ execution }: { readonly execution: ToolExecution }): ReactNode {
  const { startedAt, completedAt, settledAt } = execution;
  const timeText = useTimeText();
  const { calls } = useTexts();
  const parts = [
    startedAt === null ? calls.notStarted : calls.started(timeText(startedAt)),
    ...(completedAt === null ? [] : [calls.ended(timeText(completedAt))]),
    ...(settledAt === null ? [] : [calls.settled(timeText(settledAt))]),
  ];
  return <p className="facts">{parts.join(' · ')}</p>;
}

function ChildSteps({ state }: { readonly state: AgentState }): ReactNode {
  const over = AgentState.stepExecutions(state).length;
  const { calls, statuses } = useTexts();
  const code = AgentState.status(state);
  const status = code === null ? calls.notStartedYet : statuses[code];
  const title = calls.subagent(status, AgentState.stepCount(state), AgentState.stopReason(state));
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
  const { stepStates } = useTexts();
  return <span className={`step-type ${type}`}>{stepStates[type]}</span>;
}
