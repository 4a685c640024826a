import type { Message, MessagePart } from '@vitrine/core';
import { redactText } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { Item } from '../../kit/item.tsx';
import { Json } from '../../kit/json.tsx';
import { TextAround } from '../../kit/text-around.tsx';
import { TextBlock } from '../../kit/text-block.tsx';
import { useTexts } from '../../texts.ts';

type MessageViewProps = {
  readonly message: Message;
  /** Labels of the message: `new`, its section. */
  readonly marks?: readonly string[];
  /** The reason why the message is listed, if that is not obvious. */
  readonly note?: string;
  readonly item: string;
};

/** A complete message. */
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

/** A part of a message. */
export function PartView({ part }: { readonly part: MessagePart }): ReactNode {
  const { common, messages } = useTexts();
  switch (part.type) {
    case 'text':
      return <TextBlock>{redactText(part.text, 'text')}</TextBlock>;
    case 'reasoning':
      return (
        <>
          <h4>{common.reasoning}</h4>
          <TextBlock>{redactText(part.text, 'text')}</TextBlock>
        </>
      );
    case 'tool-call':
      return (
        <>
          <h4>
            <TextAround text={messages.callOf}>
              <code>{part.toolName}</code>
            </TextAround>
          </h4>
          <Json value={part.input} path={['input']} />
        </>
      );
    case 'tool-result':
      return (
        <>
          <h4>
            <TextAround text={(tool) => messages.resultOf(tool, part.outcome)}>
              <code>{part.toolName}</code>
            </TextAround>
          </h4>
          <Json value={part.output} path={['output']} />
        </>
      );
    case 'data':
    case 'file':
    case 'source':
      return <PlainPart part={part} />;
  }
  // Reached only by a part of a newer version.
  return <PlainPart part={part satisfies never} />;
}

function PlainPart({ part }: { readonly part: MessagePart }): ReactNode {
  return (
    <>
      <h4>{part.type}</h4>
      <Json value={part} path={[]} />
    </>
  );
}
