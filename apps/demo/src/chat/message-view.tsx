import { type ChatMessage, type ChatPart, Message, useMessage } from '@vitrine/react';
import { memo, type ReactNode } from 'react';
import { Markdown } from './markdown.tsx';
import { Attachment } from './attachment.tsx';
import { AnswerActions } from './answer-actions.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { ToolCall } from './tool-call.tsx';
import { SafeLink } from './safe-link.tsx';
import { UserMessage } from './user-message.tsx';
import { VisibleText } from './visible-text.tsx';

type MessageViewProps = {
  readonly id: string;
  /** An answer ends with it. */
  readonly isEnd: boolean;
  /** Nothing stands behind it. */
  readonly isLast: boolean;
  /** Shows another session. */
  readonly onOpen: (sessionId: string) => void;
};

/** One message, drawn again only when it changes itself. */
export const MessageView = memo(function MessageView(props: MessageViewProps): ReactNode {
  const { id, isEnd, isLast, onOpen } = props;
  const message = useMessage(id);
  if (message === null || message.role === 'system') return null;
  if (message.role === 'user')
    return Message.isTrace(message) ? null : (
      <MessageBoundary text={Message.text(message)}>
        <UserMessage message={message} isLast={isLast} />
      </MessageBoundary>
    );
  return (
    <>
      <MessageBoundary key={id} text={Message.text(message)}>
        <Answer message={message} />
      </MessageBoundary>
      {isEnd && <AnswerActions id={id} onOpen={onOpen} />}
    </>
  );
});

function Answer({ message }: { readonly message: ChatMessage }): ReactNode {
  return (
    <article className="message assistant" aria-label="Assistant">
      {message.parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
      {message.metadata['incomplete'] === true && <p className="incomplete">This answer broke off.</p>}
      {message.metadata['truncated'] === true && (
        <p className="incomplete">This answer was cut: the output limit is reached.</p>
      )}
    </article>
  );
}

function Part({ part }: { readonly part: ChatPart }): ReactNode {
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'reasoning':
      return part.text === '' ? null : (
        <details className="reasoning">
          <summary>Reasoning</summary>
          <p dir="auto">
            <VisibleText text={part.text} />
          </p>
        </details>
      );
    case 'tool-call':
      return <ToolCall call={part} />;
    case 'file':
      return <Attachment file={part} />;
    case 'source':
      return (
        part.url && (
          <p className="source">
            Source:{' '}
            <SafeLink href={part.url}>
              <VisibleText text={part.title ?? part.url} />
            </SafeLink>
          </p>
        )
      );
    default:
      return null;
  }
}
