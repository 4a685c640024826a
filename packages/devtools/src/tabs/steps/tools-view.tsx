import type { ReactNode } from 'react';
import { preview } from '../../kit/format.ts';
import { Item } from '../../kit/item.tsx';
import { Section } from '../../kit/section.tsx';
import { useTimeText } from '../../kit/times.ts';
import { summarizeEvent } from '../events/summarize-event.ts';
import type { StepPageProps } from './step-page-props.ts';
import { ToolDetail } from './tool-detail.tsx';

/** The calls of a step: what each got, how it went, what it gave, who was asked. */
export function ToolsView({ record: { step, events } }: StepPageProps): ReactNode {
  const timeText = useTimeText();
  if (step.toolExecutions.length === 0) return <p className="facts">No tool was called in this step.</p>;
  return step.toolExecutions.map((execution) => {
    const own = events.filter(({ event }) => 'toolCallId' in event && event.toolCallId === execution.id);
    return (
      <Item key={execution.id} id={`call:${execution.id}`}>
        <ToolDetail execution={execution} />
        {own.length > 0 && (
          <Section title={`What happened to it (${own.length})`}>
            <ol className="history">
              {own.slice(-500).map((entry) => (
                <li key={entry.number}>
                  <span className="figure">{timeText(entry.event.at)}</span> <code>{entry.event.type}</code>{' '}
                  {entry.event.type === 'tool-progress'
                    ? preview(entry.event.progress, 200)
                    : summarizeEvent(entry)}
                </li>
              ))}
            </ol>
          </Section>
        )}
      </Item>
    );
  });
}
