import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentInit } from '../agent/agent-definition.ts';
import { defineHook, type HookPoint } from '../agent/hook.ts';
import { defineTool, type ToolContext } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { definePlugin } from '../features/define-plugin.ts';
import { ticks } from './random-agent.fixture.ts';

const signal = signalOf('stop-requested', { message: 'enough', context: { a: 1 }, source: 'me' });
const stop = (): never => {
  throw new AgentStopError(signal);
};
const tool = (init: object = {}) =>
  defineTool({ name: 'stops', description: '', input: z.any(), execute: () => 1, ...init });
const hook = (on: HookPoint): Partial<AgentInit> => ({
  hooks: [defineHook({ name: 'h', on, run: stop })],
  tools: [tool()],
});

describe('an AgentStopError', () => {
  it.each<[string, Partial<AgentInit>]>([
    ['a tool', { tools: [tool({ execute: stop })] }],
    ['needsApproval', { tools: [tool({ needsApproval: stop })] }],
    ['an input schema', { tools: [tool({ input: z.any().refine(stop) })] }],
    ['an output schema', { tools: [tool({ output: z.any().refine(stop) })] }],
    [
      'a function given to ctx.update',
      { tools: [tool({ execute: (_i: unknown, ctx: ToolContext) => ctx.update(stop) })] },
    ],
    ['prepare', { tools: [tool()], plugins: [definePlugin({ id: 'p', state: z.any(), prepare: stop })] }],
    ['a hook before the model', hook('before-inference')],
    ['a hook after the model', hook('after-inference')],
    ['a hook before a tool', hook('before-tool-use')],
    ['a hook after a tool', hook('after-tool-use')],
    ['a hook after the step', hook('after-step')],
  ])(
    'an AgentStopError thrown in %s stops the run with its signal, and the step is recorded',
    async (_place, init) => {
      const { state, events } = await expectRun([{ toolCalls: [{ name: 'stops', input: {} }] }], init).toEnd(
        'stopped',
        'stop-requested',
        { steps: 1 },
      );
      expect(AgentState.stopSignals(state)).toEqual([signal]);
      expect(events.filter(({ type }) => type === 'execution-end')).toHaveLength(1);
      expect(AgentState.pendingApprovals(state)).toEqual([]);
      const statuses = AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status) ?? [];
      for (const status of statuses) expect(['completed', 'stopped', 'interrupted']).toContain(status);
    },
  );

  it('an AgentStopError of a tool is recorded with its signal, and ends the calls beside it', async () => {
    let beside: unknown = null;
    const waits = tool({
      name: 'waits',
      execute: (_input: unknown, { signal: own }: ToolContext) =>
        new Promise(() => own.addEventListener('abort', () => (beside = own.reason))),
    });
    const late = tool({ name: 'late', execute: () => (beside = 'late ran') });
    const { state } = await expectRun(
      [{ toolCalls: ['waits', 'stops', 'late'].map((name) => ({ name, input: {} })) }],
      { tools: [waits, tool({ execute: stop }), late], toolConcurrency: 2 },
    ).toEnd('stopped', 'stop-requested', { steps: 1 });
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'interrupted',
      'stopped',
      'interrupted',
    ]);
    expect(beside).toBeInstanceOf(AgentStopError);
    const [, stopped] = AgentState.steps(state)[0]!.toolExecutions;
    expect(stopped?.error?.message).toBe('enough');
    expect(stopped?.error?.message).not.toMatch(/may or may not/);
  });

  const counts = tool({ input: z.object({ n: z.number() }) });
  const stopsAfter = defineHook({
    name: 'h',
    on: 'after-tool-use',
    run: (_state, { fields: { execution } }) => (execution?.toolCall.name === 'stops' ? stop() : undefined),
  });
  it.each<[string, Partial<AgentInit>, number]>([
    ['arguments that are invalid for the third time', { tools: [counts] }, 3],
    ['a hook after it', { tools: [tool()], hooks: [stopsAfter] }, 1],
  ])(
    'no call begins behind one that ends its step by %s, whenever a call beside it ends',
    async (_what, { tools = [], hooks = [] }, steps) => {
      for (let turns = 0; turns < 60; turns++) {
        const beside = tool({ name: 'beside', execute: () => ticks(turns) });
        const late = tool({ name: 'late' });
        const toolCalls = ['beside', 'stops', 'late'].map((name) => ({ name, input: {} }));
        const { state, events } = await expectRun(Array(steps).fill({ toolCalls }), {
          tools: [...tools, beside, late],
          hooks,
          toolConcurrency: 2,
        }).toEnd('stopped', steps === 3 ? 'retry-limit-reached' : 'stop-requested', { steps });
        const { id } = AgentState.steps(state).at(-1)!.toolExecutions[1]!;
        const end = events.findIndex((event) => event.type === 'call-settle' && event.toolCallId === id);
        expect(end).toBeGreaterThan(0);
        expect(events.slice(end).map(({ type }) => type)).not.toContain('tool-start');
      }
    },
  );
});
