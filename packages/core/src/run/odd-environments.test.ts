import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import * as AgentStep from '../graph/agent-step.ts';
import * as Message from '../graph/message.ts';
import type { Env } from '../graph/env.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import { definePlugin } from '../features/define-plugin.ts';

const calls = { toolCalls: [{ name: 'tool', input: {} }] };

describe('a clock that is set back', () => {
  const backwards = (): Env => {
    const env = fixedEnv();
    let now = env.now();
    return { ...env, now: () => (now -= 1000) };
  };

  it('a clock that is set back duplicates no message and makes no time negative', async () => {
    const env = backwards();
    const tool = defineTool({ name: 'tool', description: '', input: z.any(), execute: () => 1 });
    const { state, events } = await expectRun(
      [calls, { text: 'Done' }],
      { tools: [tool], budget: { maxSeconds: 5 } },
      { env, state: ask('Hello', env) },
    ).toEnd('completed', 'completed', { steps: 2 });
    expect(AgentState.messages(state).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    for (const { startedAt, completedAt, durationMs } of AgentState.stepExecutions(state)) {
      expect(completedAt).toBeGreaterThanOrEqual(startedAt);
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(AgentState.executionDuration(state, env)).toBeGreaterThanOrEqual(0);
  });

  it('a clock that is set back does not duplicate the messages of a step applied again', () => {
    const env = backwards();
    const message = Message.assistant('x', {}, env);
    const step = AgentStep.of({ outputMessages: [message] }, env);
    const once = AgentState.withCurrentStep(ask('Hello', env), step, env);
    const twice = AgentState.withCurrentStep(once, step, env);
    expect(AgentState.messages(twice).map(({ id }) => id)).toEqual(
      AgentState.messages(once).map(({ id }) => id),
    );
    expect(AgentState.messages(twice)).toHaveLength(2);
  });
});

describe('limits that a timer cannot keep', () => {
  it('a tool with a time limit of Infinity may take any time', async () => {
    const tool = defineTool({
      name: 'tool',
      description: '',
      input: z.any(),
      timeoutMs: Infinity,
      execute: () => new Promise((resolve) => setTimeout(() => resolve('late'), 20)),
    });
    const { state } = await expectRun([calls, { text: 'x' }], {
      tools: [tool],
      hookTimeoutMs: Infinity,
    }).toEnd('completed', 'completed');
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.result).toBe('late');
  });

  it('a toolConcurrency of NaN or 0 is rejected, because no call would ever start', () => {
    for (const toolConcurrency of [NaN, 0, -1, 1.5])
      expect(() => scriptedAgent([], { toolConcurrency })).toThrow(
        expect.objectContaining({ code: 'agent-invalid' }),
      );
  });
});

describe('plugin ids that every object inherits', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'the plugin id %s is rejected',
    (id) => {
      expect(() => definePlugin({ id, state: z.any() })).toThrow(
        expect.objectContaining({ code: 'agent-invalid' }),
      );
    },
  );
});

describe('an iteration with two requests at once', () => {
  it('an iteration with two requests at once yields its states in order, and ends', async () => {
    const tool = defineTool({ name: 'tool', description: '', input: z.any(), execute: () => 1 });
    const states = createAgentLoop(scriptedAgent([calls, { text: 'x' }], { tools: [tool] })).iterate(ask());
    const [first, second, third] = await Promise.all([states.next(), states.next(), states.next()]);
    expect([first, second].map(({ value }) => AgentState.stepCount(value!))).toEqual([1, 2]);
    expect(third).toEqual({ done: true, value: undefined });
  });
});
