import { type ChatMessage, type ChatPart, Message, useMessage } from '@vitrine/react';
import { memo, type ReactNode } from 'react';
import { Markdown } from './markdown.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { ToolCall } from './tool-call.tsx';

/** One message, drawn again only when it changes itself. */
export const MessageView = memo(function MessageView({ id }: { readonly id: string }): ReactNode {
  const message = useMessage(id);
  if (message === null || message.role === 'system') return null;
  return (
    <MessageBoundary text={Message.text(message)}>
      <MessageBody message={message} />
    </MessageBoundary>
  );
});

function MessageBody({ message }: { readonly message: ChatMessage }): ReactNode {
  if (message.role === 'user') {
    return Message.isTrace(message) ? null : (
      <article className="message user" aria-label="You">
        <p>{Message.text(message)}</p>
      </article>
    );
  }
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
          <p>{part.text}</p>
        </details>
      );
    case 'tool-call':
      return <ToolCall call={part} />;
    case 'source':
      return part.url && <p className="source">Source: {part.title ?? part.url}</p>;
    default:
      return null;
  }
}
