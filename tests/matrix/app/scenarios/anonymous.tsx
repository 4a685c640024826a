import type { ReactNode } from 'react';
import { answering } from '../agents.ts';
import { Chat } from '../chat.tsx';

const agent = answering('scribe', ['the ', 'answer']);

/** A chat without a name and without a store. */
export function Anonymous(): ReactNode {
  return <Chat name="chat" agent={agent} />;
}
