import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { AgentState, type ChatToolCall, Conversation, createAgentSession } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { AgentSessionProvider, defineAgent, defineTool } from '../../index.ts';
import { ToolCallView } from './tool-call-view.tsx';

afterEach(cleanup);

const refund = defineTool({
  name: 'refund',
  description: 'Pays back',
  input: z.object({}),
  needsApproval: true,
  execute: async () => 'paid back',
});
it.each(['approved', 'rejected'] as const)(
  'a call that a person has %s names the person',
  async (decision) => {
    const inference = scriptedInference([{ toolCalls: [{ name: 'refund', input: {} }] }, { text: 'Done.' }]);
    const agent = defineAgent({ name: 'clerk', inference, tools: [refund] });
    const session = createAgentSession({ agent, sessions: memorySessions(), sessionId: 's1' });
    onTestFinished(async () => void (await session.dispose()));
    await session.sendMessage('Pay back');
    const [waiting] = AgentState.pendingApprovals(session.store.getState().state);
    const id = waiting?.id ?? '';
    await (decision === 'approved' ? session.approve(id) : session.reject(id));
    const call = Conversation.messages(session.store.getState().state)
      .flatMap(({ parts }) => parts)
      .find((part): part is ChatToolCall => part.type === 'tool-call');
    if (!call?.approval) throw new Error('The call has no approval.');
    const show = (by?: string) => (
      <AgentSessionProvider session={session}>
        <ToolCallView call={{ ...call, approval: { ...call.approval!, ...(by !== undefined && { by }) } }} />
      </AgentSessionProvider>
    );
    const { rerender } = render(show('anna'));
    fireEvent.click(screen.getByText('refund'));
    const words = decision === 'approved' ? 'Approved by anna' : 'Rejected by anna';
    expect(await screen.findByText(words)).toBeTruthy();
    // A session of the page alone has no persons.
    rerender(show());
    expect(screen.queryByText(/ by /)).toBeNull();
  },
);
