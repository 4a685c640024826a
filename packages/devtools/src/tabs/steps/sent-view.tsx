import type { Message } from '@vitrine/core';
import { type LeftOut } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext } from 'react';
import { Json } from '../../kit/json.tsx';
import { Knowledge } from '../../kit/contexts.ts';
import { FoundItem, Item, Section, TextBlock } from '../../kit/section.tsx';
import { Pages } from '../../kit/tab-list.tsx';
import { useTexts } from '../../texts.ts';
import { Findings } from '../findings/findings.ts';
import { MessagePages, MessageView } from './message-view.tsx';
import { requestChange, type RequestChange, type StepPageProps } from './step-record.ts';
import { ToolList } from './tools-view.tsx';

/** The request of a step, and the messages that were left out of it. */
export function SentView(props: StepPageProps): ReactNode {
  const isKnown = useContext(Knowledge).prompt || props.record.step.sent?.prompt !== '';
  return isKnown ? <RequestView {...props} /> : <ConversationView {...props} />;
}

/** The conversation at the time of a model call whose request the source does not tell. */
function ConversationView({ record: { request } }: StepPageProps): ReactNode {
  const { sent } = useTexts();
  if (request === null) return <p className="facts">{sent.notCalled}</p>;
  return (
    <>
      <p className="facts">{sent.notKnown}</p>
      <Section title={sent.conversation(request.messages.length)} isOpen>
        <MessagePages messages={request.messages} marksOf={() => []} />
      </Section>
    </>
  );
}

function RequestView({ record }: StepPageProps): ReactNode {
  const { request, requestBefore, leftOut, stateAtCall, isRecorded, isRewritten, number } = record;
  const { listed } = useContext(Findings);
  const found = useContext(FoundItem);
  const { common, messages: words, sent } = useTexts();
  if (request === null) return <p className="facts">{sent.notCalled}</p>;
  const isDoubled = listed.some(
    ({ code, address: { seq } }) => code === 'message-doubled' && seq <= stateAtCall.seq,
  );
  const change = requestBefore && requestChange(request, requestBefore);
  const plugins = Object.entries(stateAtCall.plugins);
  const { model, toolChoice, settings, systemPrompt, messages, responseFormat } = request;
  const marksOf = ({ id }: Message): readonly string[] => (change?.added.has(id) ? [words.isNew] : []);
  return (
    <>
      {change && <SentChanges change={change} number={number - 1} />}
      {!isRecorded && <p className="facts">{sent.notRecorded}</p>}
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
      {leftOut.length === 0 && (
        <p className="facts">{isRewritten ? sent.restSent : isDoubled ? sent.doubledSent : sent.allSent}</p>
      )}
      <NotSent leftOut={leftOut} executionId={stateAtCall.execution?.executionId ?? null} />
      <ToolList tools={request.tools} />
      {plugins.length > 0 && (
        <Section title={sent.plugins(plugins.length)} isOpen={found?.startsWith('plugin:') === true}>
          {plugins.map(([id, { version, revision, data }]) => (
            <Item key={id} id={`plugin:${id}`}>
              <h3>{sent.plugin(id, version, revision)}</h3>
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

type NotSentProps = {
  readonly leftOut: readonly LeftOut[];
  /** The run of the step; null when it is not known. */
  readonly executionId: string | null;
};

/** The messages that were not sent, or not as they are: those of earlier runs, which is usual, and others. */
function NotSent({ leftOut, executionId }: NotSentProps): ReactNode {
  const { sent } = useTexts();
  const found = useContext(FoundItem);
  const isUsual = ({ message: { metadata }, sentAs }: LeftOut): boolean =>
    sentAs === null && metadata['is_trace'] === true && metadata['execution_id'] !== executionId;
  const usual = leftOut.filter(isUsual);
  const others = leftOut.filter((entry) => !isUsual(entry));
  const isFound = ({ message }: LeftOut): boolean => found === `left:${message.id}`;
  const pagesOf = (items: readonly LeftOut[]): ReactNode => (
    <Pages items={items} name={sent.leftOutPages} open="first" isFound={isFound}>
      {(entry) => <LeftOutView key={entry.message.id} entry={entry} />}
    </Pages>
  );
  return (
    <>
      {others.length > 0 && (
        <Section title={sent.leftOut(others.length)} isOpen>
          {pagesOf(others)}
        </Section>
      )}
      {usual.length > 0 && (
        <Section title={sent.oldTraces(usual.length)} isOpen={usual.some(isFound)}>
          {pagesOf(usual)}
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

type SentChangesProps = {
  readonly change: RequestChange;
  /** The number of the step to compare with. */
  readonly number: number;
};

/** The differences to the request of another step: a summary, and the old versions that are not shown below. */
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
