import type { Message } from '@vitrine/core';
import { type ReactNode, useContext } from 'react';
import { FoundItem } from '../../kit/item.tsx';
import { Section } from '../../kit/section.tsx';
import { MessageView } from './message-view.tsx';

/** So many messages stand in full; of more, pages of so many are opened one by one. */
const pageSize = 50;

type MessagePagesProps = {
  readonly messages: readonly Message[];
  readonly marksOf: (message: Message) => readonly string[];
};

/** Messages in full, the last page open: nothing of a closed page is in the document. */
export function MessagePages({ messages, marksOf }: MessagePagesProps): ReactNode {
  const found = useContext(FoundItem);
  const pages = Array.from({ length: Math.ceil(messages.length / pageSize) }, (_, page) =>
    messages.slice(page * pageSize, (page + 1) * pageSize),
  );
  const content = (page: readonly Message[]): ReactNode =>
    page.map((message, index) => (
      <MessageView
        key={`${message.id}-${index}`}
        item={message.id}
        message={message}
        marks={marksOf(message)}
      />
    ));
  if (pages.length <= 1) return content(messages);
  return pages.map((page, index) => (
    <Section
      key={index}
      title={`Messages ${index * pageSize + 1} to ${index * pageSize + page.length}`}
      isOpen={index === pages.length - 1 || page.some(({ id }) => id === found)}
    >
      {content(page)}
    </Section>
  ));
}
