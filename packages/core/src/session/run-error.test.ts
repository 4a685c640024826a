import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentInit } from '../agent/agent-definition.ts';
import { defineHook } from '../agent/hook.ts';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from '../run/agent-state.ts';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { createAgentSession } from './create-agent-session.ts';

const tool = defineTool({ name: 'tool', description: '', input: z.any(), execute: () => 1 });
const failing = (on: 'on-error' | 'after-inference' | 'after-step' | 'after-execution', message: string) =>
  defineHook({ name: message, on, run: () => Promise.reject(new Error(message)) });
const wrong: ScriptedStep = { error: { code: 'upstream-error', message: 'The model is down' } };

async function turnOf(script: ScriptedStep[], init: Partial<AgentInit>) {
  const session = createAgentSession({ agent: scriptedAgent(script, init) });
  const turn = await session.sendMessage('Hello');
  const { state, error } = session.store.getState();
  expect(error).toEqual(turn.error);
  return { told: turn.error?.message, errors: AgentState.errors(state).map(({ message }) => message) };
}

describe('the error of a turn is the one that ended its run', () => {
  it('the error of a turn stays when an on-error hook fails', async () => {
    const { told, errors } = await turnOf([wrong], { hooks: [failing('on-error', 'cannot report')] });
    expect(told).toBe('The model is down');
    expect(errors).toEqual(['The model is down', 'cannot report']);
  });

  it('the error of a turn stays when its calls were not run', async () => {
    const script = [{ toolCalls: [{ name: 'tool', input: {} }] }];
    const init = { tools: [tool], hooks: [failing('after-inference', 'no such answer')] };
    const { told, errors } = await turnOf(script, init);
    expect(told).toBe('no such answer');
    expect(errors).toHaveLength(2);
  });

  it('the error of a turn stays when hooks at the end fail for other reasons', async () => {
    const hooks = [failing('on-error', 'cannot report'), failing('after-execution', 'cannot clean up')];
    const { told } = await turnOf([wrong], { hooks });
    expect(told).toBe('The model is down');
  });

  it('the error of a turn is that of the last attempt when retries are used up', async () => {
    const retryable: ScriptedStep = { error: { message: 'Too busy', retryable: true } };
    const retry = { maxAttempts: 2, baseDelayMs: 1 };
    const { told } = await turnOf([retryable], {
      retry,
      hooks: [failing('after-execution', 'cannot clean up')],
    });
    expect(told).toBe('Too busy');
  });

  it('the error of a subagent is reported to the agent that called it', async () => {
    const child = scriptedAgent([wrong], { name: 'child', hooks: [failing('on-error', 'cannot report')] });
    const call = { toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'do' } }] };
    const session = createAgentSession({
      agent: scriptedAgent([call, { text: 'x' }], { subagents: [child] }),
    });
    await session.sendMessage('Hello');
    const [step] = AgentState.steps(session.store.getState().state);
    expect(step?.toolExecutions[0]?.error?.message).toContain('The model is down');
  });
});
