'use client';

import { Message, useActivity, useMessage, useMessageIds } from '@vitrine/react';
import { ToolCallView } from '@vitrine/react/components';
import { Markdown } from '@vitrine/react/markdown';
import '@vitrine/react/theme.css';
import { type ReactNode, useEffect, useRef } from 'react';

/** The messages of the open session. Scrolls to the end when a message or a question comes. */
export function ChatMessages(): ReactNode {
  const ids = useMessageIds();
  const activity = useActivity();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which an effect may not.
    void end.current?.scrollIntoView({ block: 'end' });
  }, [ids.length, activity.type]);
  return (
    <section aria-label="Conversation" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-6">
        {ids.length === 0 ? (
          <h1 className="mt-[24vh] text-center text-2xl font-semibold">What can I help you with?</h1>
        ) : (
          <h1 className="sr-only">Conversation</h1>
        )}
        {ids.map((id) => (
          <ChatMessage key={id} id={id} />
        ))}
        {activity.type === 'thinking' && <p className="text-muted-foreground animate-pulse">Thinking…</p>}
        <div ref={end} />
      </div>
    </section>
  );
}

/** One message; it renders again only when it changes. */
function ChatMessage({ id }: { readonly id: string }): ReactNode {
  const message = useMessage(id);
  if (message === null || message.role === 'system') return null;
  const isOfPerson = message.role === 'user';
  // Written by the application, and not by the person.
  if (isOfPerson && Message.isTrace(message)) return null;
  return (
    <article
      aria-label={isOfPerson ? 'You' : 'Assistant'}
      className={isOfPerson ? 'bg-muted max-w-[85%] self-end rounded-2xl px-4 py-2 whitespace-pre-wrap' : ''}
    >
      {message.parts.map((part, index) => {
        if (part.type === 'text') return isOfPerson ? part.text : <Markdown key={index} text={part.text} />;
        return part.type === 'tool-call' && <ToolCallView key={index} call={part} />;
      })}
    </article>
  );
}
