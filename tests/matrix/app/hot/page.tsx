import { useAgent } from '@vitrine/react';
import type { ReactNode } from 'react';
import { textOf } from '../agents.ts';
import { Chat } from '../chat.tsx';
import { agent, session, sessions } from './store.ts';

/** Chats over a store, over a session of the application's own, and over neither. */
export function Page(): ReactNode {
  const { messages, sendMessage } = useAgent({ session });
  return (
    <>
      <Chat name="named" agent={agent} options={{ sessionId: 'one', sessions }} />
      <Chat name="anonymous" agent={agent} />
      <section aria-label="ready">
        {messages.map((message) => (
          <li key={message.id}>{textOf(message)}</li>
        ))}
        <button type="button" onClick={() => void sendMessage('question')}>
          Ask ready
        </button>
      </section>
    </>
  );
}
