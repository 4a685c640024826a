import { memorySessions } from '@vitrine/persist';
import { useAgent } from '@vitrine/react';
import type { ReactNode } from 'react';
import { answering, count } from '../agents.ts';
import { Chat } from '../chat.tsx';

const agent = answering('scribe', ['the ', 'answer'], 20);

/** A mistake: a store that is another one in every render. */
export function InlineStore(): ReactNode {
  // The compiler would mend it: it keeps what a call without arguments has given.
  'use no memo';
  count('renders');
  const { status } = useAgent(agent, { sessionId: 'inline', sessions: memorySessions() });
  return (
    <>
      <p>outer {status}</p>
      <Chat name="chat" agent={agent} options={{ sessionId: 'other' }} />
    </>
  );
}
