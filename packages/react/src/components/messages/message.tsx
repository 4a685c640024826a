'use client';

import { Message as Messages } from '@vitrine/core';
import { memo, type ReactNode } from 'react';
import { useMessage } from '../../hooks/use-message.ts';
import { Answer } from './answer.tsx';
import { AnswerActions } from './answer-actions.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { RawMessage } from './raw-message.tsx';
import { UserMessage } from './user-message.tsx';

/** Props of `Message`. */
export type MessageProps = {
  readonly id: string;
  /** True if an answer ends with this message; it then shows the actions on the answer. Default: false. */
  readonly isEnd?: boolean;
  /** True for the last message. Default: false. */
  readonly isLast?: boolean;
};

/**
 * One message of the nearest session; renders again only when the message itself changes. Returns null for
 * messages that are not for people. A message that cannot be rendered is shown as its text.
 */
export const Message: (props: MessageProps) => ReactNode = memo(function Message(
  props: MessageProps,
): ReactNode {
  const { id, isEnd = false, isLast = false } = props;
  const message = useMessage(id);
  if (message === null || message.role === 'system') return null;
  // A model's message of an intermediate step is a trace too, but is shown with its tool calls.
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
