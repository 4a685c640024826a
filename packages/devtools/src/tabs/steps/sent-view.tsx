import type { Message } from '@vitrine/core';
import { type LeftOut, redactText } from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import { formatNumber } from '../../kit/format.ts';
import { FoundItem, Item } from '../../kit/item.tsx';
import { Json } from '../../kit/json.tsx';
import { Pages } from '../../kit/pages.tsx';
import { Section } from '../../kit/section.tsx';
import { TextBlock } from '../../kit/text-block.tsx';
import { MessagePages } from './message-pages.tsx';
import { MessageView } from './message-view.tsx';
import type { StepPageProps } from './step-page-props.ts';
import { SentChanges } from './sent-changes.tsx';
import { requestChange } from './step-record.ts';
import { ToolList } from './tool-list.tsx';

/** The request of a step, and the messages that were left out of it. */
export function SentView({ record }: StepPageProps): ReactNode {
  const { request, requestBefore, leftOut, stateAtCall, isRecorded, number } = record;
  const found = useContext(FoundItem);
  if (request === null) return <p className="facts">The model was not called in this step.</p>;
  const change = requestBefore && requestChange(request, requestBefore);
  const plugins = Object.entries(stateAtCall.plugins);
  const { model, toolChoice, settings, systemPrompt, messages, responseFormat } = request;
  const marksOf = ({ id }: Message): readonly string[] => (change?.added.has(id) ? ['new'] : []);
  return (
    <>
      {change && <SentChanges change={change} number={number - 1} />}
      {!isRecorded && (
        <p className="facts">
          The events of this step were not recorded. This view is derived from the stored state and the
          current messages.
        </p>
      )}
      {leftOut.length > 0 && (
        <Section title={`Left out or changed by the compiler (${leftOut.length})`} isOpen>
          <Pages
            items={leftOut}
            name="Left out"
            open="first"
            isFound={({ message }) => found === `left:${message.id}`}
          >
            {(entry) => <LeftOutView key={entry.message.id} entry={entry} />}
          </Pages>
        </Section>
      )}
      {leftOut.length === 0 && <p className="facts">Every message of the conversation was sent.</p>}
      <Section title={`System prompt (${formatNumber(systemPrompt.length)} characters)`} isOpen>
        <Item id="prompt">
          <TextBlock label="System prompt">
            {systemPrompt === '' ? '(empty)' : redactText(systemPrompt, 'systemPrompt')}
          </TextBlock>
        </Item>
      </Section>
      <Section title={`Messages (${messages.length})`} isOpen>
        <MessagePages messages={messages} marksOf={marksOf} />
      </Section>
      <ToolList tools={request.tools} />
      {plugins.length > 0 && (
        <Section title={`Plugin context (${plugins.length})`} isOpen={found?.startsWith('plugin:') === true}>
          {plugins.map(([id, { version, revision, data }]) => (
            <Item key={id} id={`plugin:${id}`}>
              <h4>
                {id}, version {version}, revision {revision}
              </h4>
              <Json value={data} path={['plugins', id, 'data']} />
            </Item>
          ))}
        </Section>
      )}
      <Section title="Settings" isOpen={found === 'settings'}>
        <Item id="settings">
          <Json value={{ model, toolChoice, ...settings }} path={['settings']} />
        </Item>
      </Section>
      {responseFormat && (
        <Section title="Response format">
          <Json value={responseFormat} path={['responseFormat']} />
        </Section>
      )}
    </>
  );
}

function LeftOutView({ entry }: { readonly entry: LeftOut }): ReactNode {
  const { message, sentAs, section, reason } = entry;
  return (
    <div className="left-out">
      <MessageView
        item={`left:${message.id}`}
        message={message}
        marks={[sentAs === null ? 'not sent' : 'changed', section]}
        note={reason}
      />
      {sentAs && <MessageView item={`as:${message.id}`} message={sentAs} marks={['sent instead']} />}
    </div>
  );
}
