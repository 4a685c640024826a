'use client';

import { Message as Messages } from '@vitrine/core';
import { memo, type ReactNode } from 'react';
import { useMessage } from '../../hooks/use-message.ts';
import { Answer } from './answer.tsx';
import { AnswerActions } from './answer-actions.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { RawMessage } from './raw-message.tsx';
import { UserMessage } from './user-message.tsx';

/** What `Message` takes. */
export type MessageProps = {
  readonly id: string;
  /** An answer ends with it: it has what can be done with answers. Default: false. */
  readonly isEnd?: boolean;
  /** Nothing stands behind it. Default: false. */
  readonly isLast?: boolean;
};

/**
 * One message of the nearest session, drawn again only when it changes itself; null for what is not for people. What
 * cannot be drawn is shown as its text.
 */
export const Message: (props: MessageProps) => ReactNode = memo(function Message(
  props: MessageProps,
): ReactNode {
  const { id, isEnd = false, isLast = false } = props;
  const message = useMessage(id);
  if (message === null || message.role === 'system') return null;
  // What a step of the model says is a trace as well, and is shown with the calls that it made.
  if (message.role === 'user' && Messages.isTrace(message)) return null;
  const raw = <RawMessage text={Messages.text(message)} />;
  return (
    <div data-vitrine-message={id}>
      <MessageBoundary key={message.role === 'user' ? 'user' : id} fallback={raw}>
        {message.role === 'user' ? (
          <UserMessage message={message} isLast={isLast} />
        ) : (
          <Answer message={message} />
        )}
      </MessageBoundary>
      {isEnd && message.role === 'assistant' && <AnswerActions message={message} />}
    </div>
  );
}) as unknown as (props: MessageProps) => ReactNode;
