import { redactText } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { formatCount } from '../../kit/format.ts';
import { Pages } from '../../kit/pages.tsx';
import { Section } from '../../kit/section.tsx';
import { TextBlock } from '../../kit/text-block.tsx';
import { MessageView } from './message-view.tsx';
import type { RequestChange } from './step-record.ts';

type SentChangesProps = {
  readonly change: RequestChange;
  /** The number of the step to compare with. */
  readonly number: number;
};

/**
 * The differences to the request of another step: a summary, and the old versions that are not shown below.
 */
export function SentChanges({ change, number }: SentChangesProps): ReactNode {
  const { added, gone, edited, changed, promptBefore } = change;
  const parts = [
    ...(added.size > 0 ? [`${formatCount(added.size, 'message')} new`] : []),
    ...(gone.length > 0 ? [`${formatCount(gone.length, 'message')} no longer sent`] : []),
    ...(edited.length > 0 ? [`${formatCount(edited.length, 'message')} changed`] : []),
    ...changed.map((name) => `${name} changed`),
  ];
  return (
    <>
      <p className="facts">
        Against step {number}: {parts.length === 0 ? 'nothing new' : parts.join(', ')}.
      </p>
      {promptBefore !== null && (
        <Section title={`System prompt of step ${number}, before it changed`}>
          <TextBlock label="System prompt before">
            {promptBefore === '' ? '(empty)' : redactText(promptBefore, 'systemPrompt')}
          </TextBlock>
        </Section>
      )}
      {edited.length > 0 && (
        <Section title={`Messages that changed (${edited.length})`}>
          <Pages items={edited} name="Changed" open="first" isFound={() => false}>
            {({ before, after }) => (
              <div key={after.id} className="left-out">
                <MessageView item={`was:${before.id}`} message={before} marks={[`step ${number}`]} />
                <MessageView item={`is:${after.id}`} message={after} marks={['now']} />
              </div>
            )}
          </Pages>
        </Section>
      )}
      {gone.length > 0 && (
        <Section title={`Messages no longer sent (${gone.length})`}>
          <Pages items={gone} name="No longer sent" open="first" isFound={() => false}>
            {(message) => (
              <MessageView
                key={message.id}
                item={`gone:${message.id}`}
                message={message}
                marks={['no longer sent']}
              />
            )}
          </Pages>
        </Section>
      )}
    </>
  );
}
