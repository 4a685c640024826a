import { AgentState, type Message, type MessagePart } from '@vitrine/core';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext } from 'react';
import { TitledJson } from '../../kit/json.tsx';
import { FoundItem, Item, TextAround, TextBlock } from '../../kit/section.tsx';
import { Pages } from '../../kit/tab-list.tsx';
import { useTexts } from '../../texts.ts';

type MessageViewProps = {
  readonly message: Message;
  /** Labels of the message: `new`, its section. */
  readonly marks?: readonly string[];
  /** The reason why the message is listed, if that is not obvious. */
  readonly note?: string;
  readonly item: string;
};

export function MessageView({ message, marks = [], note, item }: MessageViewProps): ReactNode {
  return (
    <Item id={item} className="message">
      <p className="message-head">
        <code>{message.role}</code>
        {marks.map((mark) => (
          <span key={mark} className="chip" data-mark={mark}>
            {mark}
          </span>
        ))}
      </p>
      {note !== undefined && <p className="note">{redactText(note, 'reason')}</p>}
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} />
      ))}
    </Item>
  );
}

function PartView({ part }: { readonly part: MessagePart }): ReactNode {
  const { common, messages } = useTexts();
  const name = 'toolName' in part && <code>{part.toolName}</code>;
  const plain = <TitledJson title={part.type} value={part} path={[]} />;
  switch (part.type) {
    case 'text':
      return <TextBlock>{redactText(part.text, 'text')}</TextBlock>;
    case 'reasoning':
      return (
        <>
          <h3>{common.reasoning}</h3>
          <TextBlock>{redactText(part.text, 'text')}</TextBlock>
        </>
      );
    case 'tool-call':
      return (
        <TitledJson
          title={<TextAround text={messages.callOf}>{name}</TextAround>}
          value={part.input}
          path={['input']}
        />
      );
    case 'tool-result':
      return (
        <TitledJson
          title={<TextAround text={(tool) => messages.resultOf(tool, part.outcome)}>{name}</TextAround>}
          value={part.output}
          path={['output']}
        />
      );
    case 'data':
    case 'file':
    case 'source':
      return plain;
  }
  part satisfies never;
  // Reached only by a part of a newer version.
  return plain;
}

type MessagePagesProps = {
  readonly messages: readonly Message[];
  readonly marksOf: (message: Message) => readonly string[];
};

/** Complete messages in pages; the last page is open. */
export function MessagePages({ messages, marksOf }: MessagePagesProps): ReactNode {
  const texts = useTexts().messages;
  const found = useContext(FoundItem);
  return (
    <Pages items={messages} name={texts.pages} open="last" isFound={({ id }) => id === found}>
      {(message, index) => (
        <MessageView
          key={`${message.id}-${index}`}
          item={message.id}
          message={message}
          marks={marksOf(message)}
        />
      )}
    </Pages>
  );
}

type RunMessagesProps = { readonly state: AgentState; readonly executionId: string };

/** The messages of a run of which neither events nor steps were kept. */
export function RunMessages({ state, executionId }: RunMessagesProps): ReactNode {
  const texts = useTexts().run;
  const messages = AgentState.messages(state).filter(
    ({ metadata }) => metadata['execution_id'] === executionId,
  );
  return (
    <div className="detail scroll" data-tab="run" tabIndex={0} role="region" aria-label={texts.messages}>
      <h2>{texts.messages}</h2>
      <p className="facts">{texts.messagesOnly}</p>
      <MessagePages
        messages={messages}
        marksOf={({ metadata }) => (metadata['is_trace'] === true ? [texts.trace] : [])}
      />
    </div>
  );
}
