import { AgentState, Message } from '@vitrine/core';
import {
  AgentSessionProvider,
  useAgentSession,
  useAgentStatus,
  useMessage,
  useMessageIds,
} from '@vitrine/react';
import { memo, type ReactNode, useEffect } from 'react';
import { answering, count, inBursts, textOf } from '../agents.ts';

const env = { now: () => 0, monotonic: () => 0 };
let ids = 0;
const id = (): string => `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`;
const initialState = AgentState.create(
  {
    messages: Array.from({ length: 300 }, (_, index) =>
      Message.user(`old ${index}`, { id: `old-${index}` }, { ...env, id } as never),
    ),
  },
  { ...env, id } as never,
);
const deltas = Array.from({ length: 2000 }, () => 'x');
const agent = inBursts(answering('scribe', deltas), 50, 10);

// The view counts where React calls it and where it commits, not where its own output differs.
const Row = memo(function Row({ id: messageId }: { readonly id: string }): ReactNode {
  'use no memo';
  const message = useMessage(messageId);
  count(`renders of ${messageId}`);
  useEffect(() => count(`commits of ${messageId}`));
  return <li>{message && textOf(message)}</li>;
});

function Rows(): ReactNode {
  return useMessageIds().map((messageId) => <Row key={messageId} id={messageId} />);
}

function Ask(): ReactNode {
  const { sendMessage } = useAgentSession();
  const { status } = useAgentStatus();
  return (
    <section aria-label="chat" data-status={status}>
      <button type="button" onClick={() => void sendMessage('question')}>
        Ask
      </button>
    </section>
  );
}

/** A long history above an answer of 2,000 deltas. */
export function History(): ReactNode {
  return (
    <AgentSessionProvider agent={agent} initialState={initialState}>
      <ol>
        <Rows />
      </ol>
      <Ask />
    </AgentSessionProvider>
  );
}
