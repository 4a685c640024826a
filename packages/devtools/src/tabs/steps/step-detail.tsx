import { type AgentState, AgentStep, Message, type StepExecution } from '@vitrine/core';
import { redact } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { formatDuration, formatNumber, formatTime, preview } from '../../kit/format.ts';
import { Json } from '../../kit/json.tsx';
import { Section } from '../../kit/section.tsx';
import { ToolDetail } from './tool-detail.tsx';

type StepDetailProps = {
  readonly state: AgentState;
  readonly number: number;
  readonly step: AgentStep;
  readonly execution: StepExecution | null;
};

/** Everything about one step. */
export function StepDetail({ state, number, step, execution }: StepDetailProps): ReactNode {
  const response = step.inferenceResponse;
  const input = AgentStep.inputMessages(state, step);
  const output = AgentStep.responseText(step);
  return (
    <div className="detail scroll" tabIndex={0} role="region" aria-label={`Step ${number}`}>
      <h3>
        Step {number} <span className={`step-type ${AgentStep.type(step)}`}>{AgentStep.type(step)}</span>
      </h3>
      {execution && (
        <p className="facts">
          {formatTime(execution.startedAt)} · {formatDuration(execution.durationMs)}
          {response &&
            ` · ${formatNumber(response.usage.inputTokens)} in, ${formatNumber(response.usage.outputTokens)} out`}
          {response?.firstDeltaMs != null && ` · first delta after ${formatDuration(response.firstDeltaMs)}`}
        </p>
      )}
      {step.errors.map((error, index) => (
        <p key={index} className="error-line">
          <code>{error.code ?? error.name}</code> {error.message}
        </p>
      ))}
      {step.toolExecutions.map((tool) => (
        <ToolDetail key={tool.id} execution={tool} />
      ))}
      {output !== '' && (
        <Section title="Output" isOpen>
          <pre className="prose">{output}</pre>
        </Section>
      )}
      <Section title={`Input messages (${input.length})`}>
        <ul className="messages">
          {input.slice(-200).map((message) => (
            <li key={message.id}>
              <code>{message.role}</code> {preview(Message.text(message) || redact(message.parts), 160)}
            </li>
          ))}
        </ul>
      </Section>
      {response && (
        <Section title="Inference response">
          <Json value={response} />
        </Section>
      )}
    </div>
  );
}
