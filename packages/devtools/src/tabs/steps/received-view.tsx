import { redactText } from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import { formatCost, formatDuration, formatNumber } from '../../kit/format.ts';
import { FoundItem } from '../../kit/item.tsx';
import { Json } from '../../kit/json.tsx';
import { Section } from '../../kit/section.tsx';
import { EventLog } from '../events/event-log.tsx';
import { MessageView } from './message-view.tsx';
import type { StepPageProps } from './step-page-props.ts';
import type { StepRecord } from './step-record.ts';

/** The answer of the model in a step. */
export function ReceivedView({ record }: StepPageProps): ReactNode {
  const { step, events, isRecorded } = record;
  const { inferenceResponse: response } = step;
  const answers = step.outputMessages.filter(({ role }) => role === 'assistant');
  const found = useContext(FoundItem);
  return (
    <>
      {answers.length === 0 && <p className="facts">No message was received.</p>}
      {answers.map((message) => (
        <MessageView key={message.id} item={`out:${message.id}`} message={message} />
      ))}
      {response ? (
        <ResponseFacts response={response} />
      ) : (
        <p className="facts">The model has not finished its answer.</p>
      )}
      {response && (
        <Section title="Stored response" isOpen={found === 'response'}>
          <Json value={response} path={['response']} />
        </Section>
      )}
      {isRecorded ? (
        <Section title={`Raw events (${events.length})`}>
          <div className="raw-events">
            <EventLog events={events} />
          </div>
        </Section>
      ) : (
        <p className="facts">
          The events of this step were not recorded, because they happened before the panel opened.
        </p>
      )}
    </>
  );
}

type Response = NonNullable<StepRecord['step']['inferenceResponse']>;

function ResponseFacts({ response }: { readonly response: Response }): ReactNode {
  const { usage, finishReason, explanation, durationMs, firstDeltaMs, model, id } = response;
  const rows: readonly (readonly [string, string])[] = [
    [
      'Finish reason',
      explanation === undefined ? finishReason : `${finishReason}: ${redactText(explanation, 'explanation')}`,
    ],
    ['Model', model ?? 'unknown'],
    ['Tokens in', formatNumber(usage.inputTokens)],
    ['Tokens out', formatNumber(usage.outputTokens)],
    ['Reasoning', formatNumber(usage.reasoningTokens)],
    ['Cache read', formatNumber(usage.cacheReadTokens)],
    ['Cache written', formatNumber(usage.cacheWriteTokens)],
    ...(usage.isEstimated === true ? [['Counted by', 'an estimate from bytes'] as const] : []),
    ['Cost', usage.cost === null ? 'unknown' : formatCost(usage.cost)],
    ['First delta after', firstDeltaMs === null ? 'no delta' : formatDuration(firstDeltaMs)],
    ['Took', formatDuration(durationMs)],
    ['Id of the provider', id ?? 'unknown'],
  ];
  return (
    <dl className="facts-table">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
