import type { AgentState, ToolExecution } from '@vitrine/core';
import { rememberedDecision } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { preview } from '../../kit/format.ts';
import { Item } from '../../kit/item.tsx';
import { Section } from '../../kit/section.tsx';
import { useTimeText } from '../../kit/times.ts';
import { summarizeEvent } from '../events/summarize-event.ts';
import type { StepPageProps } from './step-page-props.ts';
import { ToolDetail } from './tool-detail.tsx';
import { useTexts } from '../../texts.ts';

/** The calls of a step: input, progress, result and approval. */
export function ToolsView({ record: { step, events, after } }: StepPageProps): ReactNode {
  const timeText = useTimeText();
  const texts = useTexts();
  if (step.toolExecutions.length === 0) return <p className="facts">{texts.calls.none}</p>;
  return step.toolExecutions.map((execution) => {
    const own = events.filter(({ event }) => 'toolCallId' in event && event.toolCallId === execution.id);
    return (
      <Item key={execution.id} id={`call:${execution.id}`}>
        <ToolDetail execution={execution} />
        <NotAsked execution={execution} state={after.state} />
        {own.length > 0 && (
          <Section title={texts.calls.history(own.length)}>
            <ol className="history">
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
