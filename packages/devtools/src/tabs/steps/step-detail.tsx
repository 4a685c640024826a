import { AgentStep, Message, type StepExecution } from '@vitrine/core';
import type { ReactNode } from 'react';
import { formatDuration, formatNumber, formatTime, preview } from '../../kit/format.ts';
import { Json } from '../../kit/json.tsx';
import { redact } from '../../kit/redact.ts';
import { ToolDetail } from './tool-detail.tsx';

type StepDetailProps = {
  readonly number: number;
  readonly step: AgentStep;
  readonly execution: StepExecution | null;
};

/** Everything about one step. */
export function StepDetail({ number, step, execution }: StepDetailProps): ReactNode {
  const response = step.inferenceResponse;
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
      <Section title={`Input messages (${step.inputMessages.length})`}>
        <ul className="messages">
          {step.inputMessages.slice(-200).map((message) => (
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

type SectionProps = { readonly title: string; readonly isOpen?: boolean; readonly children: ReactNode };

export function Section({ title, isOpen = false, children }: SectionProps): ReactNode {
  return (
    <details className="section" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
