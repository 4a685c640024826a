import type { Message } from '@vitrine/core';
import { type ReactNode, useContext } from 'react';
import { FoundItem } from '../../kit/item.tsx';
import { Pages } from '../../kit/pages.tsx';
import { MessageView } from './message-view.tsx';
import { useTexts } from '../../texts.ts';

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
