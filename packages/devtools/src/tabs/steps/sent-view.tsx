import type { Message } from '@vitrine/core';
import { type LeftOut, redactText } from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
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
import { useTexts } from '../../texts.ts';

/** The request of a step, and the messages that were left out of it. */
export function SentView({ record }: StepPageProps): ReactNode {
  const { request, requestBefore, leftOut, stateAtCall, isRecorded, number } = record;
  const found = useContext(FoundItem);
  const { common, messages: words, sent } = useTexts();
  if (request === null) return <p className="facts">{sent.notCalled}</p>;
  const change = requestBefore && requestChange(request, requestBefore);
  const plugins = Object.entries(stateAtCall.plugins);
  const { model, toolChoice, settings, systemPrompt, messages, responseFormat } = request;
  const marksOf = ({ id }: Message): readonly string[] => (change?.added.has(id) ? [words.isNew] : []);
  return (
    <>
      {change && <SentChanges change={change} number={number - 1} />}
      {!isRecorded && <p className="facts">{sent.notRecorded}</p>}
      {leftOut.length > 0 && (
        <Section title={sent.leftOut(leftOut.length)} isOpen>
          <Pages
            items={leftOut}
            name={sent.leftOutPages}
            open="first"
            isFound={({ message }) => found === `left:${message.id}`}
          >
            {(entry) => <LeftOutView key={entry.message.id} entry={entry} />}
          </Pages>
        </Section>
      )}
      {leftOut.length === 0 && <p className="facts">{sent.allSent}</p>}
      <Section title={sent.systemPrompt(systemPrompt.length)} isOpen>
        <Item id="prompt">
          <TextBlock label={common.systemPrompt}>
            {systemPrompt === '' ? common.empty : redactText(systemPrompt, 'systemPrompt')}
          </TextBlock>
        </Item>
      </Section>
      <Section title={sent.messages(messages.length)} isOpen>
        <MessagePages messages={messages} marksOf={marksOf} />
      </Section>
      <ToolList tools={request.tools} />
      {plugins.length > 0 && (
        <Section title={sent.plugins(plugins.length)} isOpen={found?.startsWith('plugin:') === true}>
          {plugins.map(([id, { version, revision, data }]) => (
            <Item key={id} id={`plugin:${id}`}>
              <h4>{sent.plugin(id, version, revision)}</h4>
              <Json value={data} path={['plugins', id, 'data']} />
            </Item>
          ))}
        </Section>
      )}
      <Section title={sent.settings} isOpen={found === 'settings'}>
        <Item id="settings">
          <Json value={{ model, toolChoice, ...settings }} path={['settings']} />
        </Item>
      </Section>
      {responseFormat && (
        <Section title={sent.responseFormat}>
          <Json value={responseFormat} path={['responseFormat']} />
        </Section>
      )}
    </>
  );
}

function LeftOutView({ entry }: { readonly entry: LeftOut }): ReactNode {
  const { sent } = useTexts();
  const { message, sentAs, section, reason } = entry;
  return (
    <div className="left-out">
      <MessageView
        item={`left:${message.id}`}
        message={message}
        marks={[sentAs === null ? sent.notSent : sent.changed, section]}
        note={sent.leftOutBecause(reason)}
      />
      {sentAs && <MessageView item={`as:${message.id}`} message={sentAs} marks={[sent.sentInstead]} />}
    </div>
  );
}
