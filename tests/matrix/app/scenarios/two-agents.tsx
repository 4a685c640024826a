import type { ReactNode } from 'react';
import { answering } from '../agents.ts';
import { Chat } from '../chat.tsx';

const first = answering('first', ['from the first']);
const second = answering('second', ['from the second']);

/** A mistake: two agents for one session, the second one inside. */
export function TwoAgents(): ReactNode {
  return (
    <>
      <Chat name="one" agent={first} options={{ sessionId: 'shared' }} />
      <Chat name="two" agent={second} options={{ sessionId: 'shared' }} />
    </>
  );
}
