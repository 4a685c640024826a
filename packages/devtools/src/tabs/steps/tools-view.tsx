import { AgentState, AgentStep, type JsonValue, type ToolExecution } from '@vitrine/core';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { redactText } from '@vitrine/inspect/internal/redact';
import { rememberedDecision } from '@vitrine/core/internal/graph/agent-state/remembered';
import { type ReactNode, useContext } from 'react';
import { preview } from '../../kit/format.ts';
import { IsRunning, useTimeText } from '../../kit/contexts.ts';
import { TitledJson } from '../../kit/json.tsx';
import { nameOfSubagent } from '../../kit/name-at.ts';
import { ErrorLine, FoundItem, Item, Section } from '../../kit/section.tsx';
import { useTexts } from '../../texts.ts';
import { BreakMenu, conditionsOfCall } from '../debug/break-menu.tsx';
import { summarizeEvent } from '../events/summarize-event.ts';
import { FindingsOf } from '../findings/finding-view.tsx';
import type { StepPageProps } from './step-record.ts';
import { stepState } from './step-state.ts';

/** The calls of a step: input, progress, result and approval. */
export function ToolsView({ source, record: { step, events, after } }: StepPageProps): ReactNode {
  const timeText = useTimeText();
  const texts = useTexts();
  if (step.toolExecutions.length === 0) return <p className="facts">{texts.calls.none}</p>;
  return step.toolExecutions.map((execution) => {
    const own = events.filter(({ event }) => 'toolCallId' in event && event.toolCallId === execution.id);
    return (
      <Item key={execution.id} id={`call:${execution.id}`}>
        <FindingsOf id={execution.id} view="tools" />
        <div className="beside">
          <span className="at-end">
            <BreakMenu source={source} conditions={conditionsOfCall(execution.toolCall.name)} />
          </span>
        </div>
        <ToolDetail execution={execution} />
        <NotAsked execution={execution} state={after.state} />
        {own.length > 0 && (
          <Section title={texts.calls.history(own.length)}>
            <ol className="history indented">
              {own.slice(-500).map((entry) => (
                <li key={entry.number}>
                  <span className="figure">{timeText(entry.event.at)}</span> <code>{entry.event.type}</code>{' '}
                  {entry.event.type === 'tool-progress'
                    ? preview(entry.event.progress, ['progress'], 200)
                    : summarizeEvent(entry, texts)}
                </li>
              ))}
            </ol>
          </Section>
        )}
      </Item>
    );
  });
}

type NotAskedProps = { readonly execution: ToolExecution; readonly state: AgentState };

/** Explains that a remembered decision answered a call. */
function NotAsked({ execution: { toolCall, approval }, state }: NotAskedProps): ReactNode {
  const { calls } = useTexts();
  const decision = approval === null ? rememberedDecision(state, toolCall.name) : null;
  if (decision === null) return null;
  return (
    <p className="facts">
      {calls[decision === 'approved' ? 'approvedEarlier' : 'rejectedEarlier'](toolCall.name)}
    </p>
  );
}

/** One call: its input, its result and the steps of its subagent. */
export function ToolDetail({ execution }: { readonly execution: ToolExecution }): ReactNode {
  const { toolCall, status, error, durationMs, approval, childState, pluginWrites, progress } = execution;
  const texts = useTexts();
  const { calls } = texts;
  return (
    <div className="tool" data-status={status}>
      <p className="tool-head beside spaced">
        <code>{toolCall.name}</code> <span className="chip">{texts.callStates[status] ?? status}</span>
        {durationMs !== null && <span className="figure at-end">{texts.formats.duration(durationMs)}</span>}
      </p>
      <WhenItWas execution={execution} />
      <TitledJson title={calls.input} value={toolCall.input} path={['input']} />
      {progress !== null && <TitledJson title={calls.lastProgress} value={progress} path={['progress']} />}
      {'result' in execution && (
        <TitledJson title={texts.common.result} value={execution.result} path={['result']} />
      )}
      {error && <ErrorLine error={error} />}
      {approval && (
        <p className="facts">
          {calls.approval(
            approval.decision,
            approval.isEdited,
            approval.reason ? redactText(approval.reason, 'reason') : null,
            approval.comment ? redactText(approval.comment, 'comment') : null,
            approval.by ? redactText(approval.by, 'by') : null,
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
      {childState && <ChildSteps state={childState} name={nameOfSubagent(execution)} />}
    </div>
  );
}

function WhenItWas({ execution }: { readonly execution: ToolExecution }): ReactNode {
  const { startedAt, completedAt, settledAt, isElsewhere } = execution;
  const timeText = useTimeText();
  const { calls } = useTexts();
  const parts = [
    startedAt === null
      ? isElsewhere
        ? calls.elsewhere
        : calls.notStarted
      : calls.started(timeText(startedAt)),
    ...(completedAt === null ? [] : [calls.ended(timeText(completedAt))]),
    ...(settledAt === null ? [] : [calls.settled(timeText(settledAt))]),
  ];
  return <p className="facts">{parts.join(' · ')}</p>;
}

function ChildSteps({ state, name }: { readonly state: AgentState; readonly name: string }): ReactNode {
  const over = AgentState.stepExecutions(state).length;
  const { calls, statuses } = useTexts();
  const code = AgentState.status(state);
  const status = code === null ? calls.notStartedYet : statuses[code];
  const title = calls.subagent(status, AgentState.stepCount(state), AgentState.stopReason(state), name);
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

/** The tools of the request with their input schemas. */
export function ToolList({ tools }: { readonly tools: JsonValue }): ReactNode {
  const found = useContext(FoundItem);
  const { sent } = useTexts();
  const list = Array.isArray(tools) ? tools : [];
  if (list.length === 0) return <p className="facts">{sent.noTools}</p>;
  return (
    <Section title={sent.tools(list.length)} isOpen={found?.startsWith('tool:') === true}>
      {list.map((tool, index) => (
        <Item key={index} id={`tool:${nameOf(tool, index, sent.unnamedTool)}`}>
          <TitledJson
            title={nameOf(tool, index, sent.unnamedTool)}
            value={tool}
            path={['tools', String(index)]}
          />
        </Item>
      ))}
    </Section>
  );
}

/** The name of a tool in the request; `unnamed` names a tool without a name by its number. */
export function nameOf(tool: JsonValue, index: number, unnamed: (number: number) => string): string {
  const name = isPlainObject(tool) ? tool['name'] : null;
  return typeof name === 'string' ? name : unnamed(index + 1);
}
