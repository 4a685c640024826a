import { cleanup, render, screen } from '@testing-library/react';
import { AgentState, createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolDetail } from './tools-view.tsx';

afterEach(cleanup);

describe('a call that needed an approval', () => {
  it.each([false, true])(
    'the approval shows its decision and whether the arguments were edited: %s',
    async (isEdited) => {
      const pay = defineTool({
        name: 'pay',
        description: '',
        input: z.object({ amount: z.number() }),
        needsApproval: true,
        execute: () => 'paid',
      });
      const script = [{ toolCalls: [{ name: 'pay', input: { amount: 1 } }] }, { text: 'Done' }];
      const agent = defineAgent({ name: 'a', tools: [pay], inference: scriptedInference(script) });
      const session = createAgentSession({ agent });
      await session.sendMessage('Go');
      const { id } = AgentState.pendingApprovals(session.store.getState().state)[0]!;
      await session.approve(id, isEdited ? { input: { amount: 2 } } : {});
      const [step] = AgentState.steps(session.store.getState().state);
      render(<ToolDetail execution={step!.toolExecutions[0]!} />);
      const text = screen.getByText(/^Approval:/).textContent;
      expect(text).toBe(`Approval: approved${isEdited ? ', with other arguments than the model gave' : ''}`);
      await session.dispose();
    },
  );
});
