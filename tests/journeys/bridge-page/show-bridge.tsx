import { createAgentSession, defineAgent, defineTool, indexedDBSessions, Message } from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { ThreadPage } from './thread-page.tsx';
import { UseChatPage } from './use-chat-page.tsx';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number() }),
  needsApproval: ({ amount }) => ({ ask: `Pay ${amount}?` }),
  execute: ({ amount }) => `paid ${amount}`,
});

let answers = 0;
const agent = defineAgent({
  name: 'clerk',
  tools: [pay],
  inference: scriptedInference([
    ({ messages }) => {
      const at = messages.findLastIndex(({ role }) => role === 'user');
      const asked = Message.text(messages[at]!);
      const hasPaid = messages.slice(at).some(({ role }) => role === 'tool');
      if (asked === 'pay' && !hasPaid) return { toolCalls: [{ name: 'pay', input: { amount: 5 } }] };
      if (asked === 'long') return { text: 'word '.repeat(300) + 'end', chunks: 300, delayMs: 10 };
      return { text: `Answer ${++answers} to ${asked}` };
    },
  ]),
});

/** Shows a chat of another library over a stored session: `use-chat` or `thread`. */
export async function showBridge(name: string): Promise<void> {
  const session = createAgentSession({ agent, sessions: indexedDBSessions(), sessionId: name });
  await session.ready;
  // The test asks it for what is saved.
  Object.assign(window, { session });
  const host = document.createElement('main');
  document.body.replaceChildren(host);
  createRoot(host).render(
    name === 'thread' ? <ThreadPage session={session} /> : <UseChatPage session={session} />,
  );
}
