import { redactText } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { Pages } from '../../kit/pages.tsx';
import { Section } from '../../kit/section.tsx';
import { TextBlock } from '../../kit/text-block.tsx';
import { MessageView } from './message-view.tsx';
import type { RequestChange } from './step-record.ts';
import { useTexts } from '../../texts.ts';

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
  const { changes: texts, common } = useTexts();
  const parts = [
    ...(added.size > 0 ? [texts.added(added.size)] : []),
    ...(gone.length > 0 ? [texts.gone(gone.length)] : []),
    ...(edited.length > 0 ? [texts.edited(edited.length)] : []),
    ...changed.map((part) => texts[part]),
  ];
  return (
    <>
      <p className="facts">{texts.against(number, parts)}</p>
      {promptBefore !== null && (
        <Section title={texts.promptOf(number)}>
          <TextBlock label={texts.promptBefore}>
            {promptBefore === '' ? common.empty : redactText(promptBefore, 'systemPrompt')}
          </TextBlock>
        </Section>
      )}
      {edited.length > 0 && (
        <Section title={texts.editedMessages(edited.length)}>
          <Pages items={edited} name={texts.editedPages} open="first" isFound={() => false}>
            {({ before, after }) => (
              <div key={after.id} className="left-out">
                <MessageView item={`was:${before.id}`} message={before} marks={[texts.step(number)]} />
                <MessageView item={`is:${after.id}`} message={after} marks={[texts.now]} />
              </div>
            )}
          </Pages>
        </Section>
      )}
      {gone.length > 0 && (
        <Section title={texts.goneMessages(gone.length)}>
          <Pages items={gone} name={texts.gonePages} open="first" isFound={() => false}>
            {(message) => (
              <MessageView
                key={message.id}
                item={`gone:${message.id}`}
                message={message}
                marks={[texts.noLongerSent]}
              />
            )}
          </Pages>
        </Section>
      )}
    </>
  );
}
