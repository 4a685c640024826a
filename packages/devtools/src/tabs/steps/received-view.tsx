import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext } from 'react';
import { FoundItem, Section } from '../../kit/section.tsx';
import { Knowledge } from '../../kit/contexts.ts';
import { Json } from '../../kit/json.tsx';
import { EventLog } from '../events/event-log.tsx';
import { MessageView } from './message-view.tsx';
import type { StepPageProps, StepRecord } from './step-record.ts';
import { useTexts } from '../../texts.ts';

export function ReceivedView({ record }: StepPageProps): ReactNode {
  const { step, events, isRecorded } = record;
  const { inferenceResponse: response } = step;
  const answers = step.outputMessages.filter(({ role }) => role === 'assistant');
  const found = useContext(FoundItem);
  const texts = useTexts().received;
  return (
    <>
      {answers.length === 0 && <p className="facts">{texts.noMessage}</p>}
      {answers.map((message) => (
        <MessageView key={message.id} item={`out:${message.id}`} message={message} />
      ))}
      {response ? <ResponseFacts response={response} /> : <p className="facts">{texts.notFinished}</p>}
      {response && (
        <Section title={texts.storedResponse} isOpen={found === 'response'}>
          <Json value={response} path={['response']} />
        </Section>
      )}
      {isRecorded ? (
        <Section title={texts.rawEvents(events.length)}>
          <div className="raw-events stacked">
            <EventLog events={events} />
          </div>
        </Section>
      ) : (
        <p className="facts">{texts.notRecorded}</p>
      )}
    </>
  );
}

type Response = NonNullable<StepRecord['step']['inferenceResponse']>;

function ResponseFacts({ response }: { readonly response: Response }): ReactNode {
  const { common, formats, received: texts } = useTexts();
  const knows = useContext(Knowledge);
  const { usage, finishReason, explanation, durationMs, firstDeltaMs, model, id } = response;
  const rows: readonly (readonly [string, string])[] = [
    [
      texts.finishReason,
      explanation === undefined
        ? finishReason
        : texts.finishedBecause(finishReason, redactText(explanation, 'explanation')),
    ],
    [texts.model, model ?? common.unknown],
    ...(knows.usage || usage.totalTokens > 0
      ? ([
          [texts.tokensIn, formats.number(usage.inputTokens)],
          [texts.tokensOut, formats.number(usage.outputTokens)],
          [common.reasoning, formats.number(usage.reasoningTokens)],
          [texts.cacheRead, formats.number(usage.cacheReadTokens)],
          [texts.cacheWritten, formats.number(usage.cacheWriteTokens)],
        ] as const)
      : [[texts.tokens, common.unknown] as const]),
    ...(usage.isEstimated === true ? [[texts.countedBy, texts.estimate] as const] : []),
    [texts.cost, usage.cost === null ? common.unknown : formats.cost(usage.cost)],
    [
      texts.firstDelta,
      firstDeltaMs === null ? (knows.times ? texts.noDelta : common.unknown) : formats.duration(firstDeltaMs),
    ],
    [texts.took, formats.duration(durationMs)],
    [texts.providerId, id ?? common.unknown],
  ];
  return (
    <dl className="facts-table">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt className="in-small">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
