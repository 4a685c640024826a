import { AgentState, createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { stepState, waitsForPerson } from './step-state.ts';

const pay = defineTool({
  name: 'pay',
  description: '',
  input: z.object({}),
  needsApproval: true,
  execute: () => 'paid',
});
const paying = { toolCalls: [{ name: 'pay', input: {} }] };

it('a step waits, and is not interrupted, while a person has to answer its call or one of a subagent', async () => {
  const child = defineAgent({
    name: 'child',
    tools: [pay],
    inference: scriptedInference([paying, { text: 'A' }]),
  });
  const delegating = { toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'Pay' } }] };
  const agent = defineAgent({
    name: 'root',
    tools: [pay],
    subagents: [child],
    inference: scriptedInference([paying, delegating, { text: 'Done' }]),
  });
  const session = createAgentSession({ agent });
  const stateOfStep = (): string | null => {
    const step = AgentState.currentStep(session.store.getState().state);
    return step && stepState(step, { isOver: false, isRunning: false });
  };
  await session.sendMessage('Go');
  expect(stateOfStep()).toBe('waiting');
  await session.approve(AgentState.pendingApprovals(session.store.getState().state)[0]!.id);
  expect(stateOfStep()).toBe('waiting');
  const [call] = AgentState.currentStep(session.store.getState().state)?.toolExecutions ?? [];
  expect([call?.status, call && waitsForPerson(call)]).toEqual(['running', true]);
  await session.dispose();
});
