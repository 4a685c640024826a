import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentInit } from '../agent/agent-definition.ts';
import { defineHook, hookPoints } from '../agent/hook.ts';
import { defineTool, type ToolContext } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { stopRequested } from '../graph/stop-signal.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from './events.ts';
import { definePlugin } from '../features/define-plugin.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const neverFits = z.any().refine(never);
const tool = (init: object = {}) =>
  defineTool({ name: 'tool', description: '', input: z.any(), execute: () => 1, ...init });
const calls: ScriptedStep = { toolCalls: [{ name: 'tool', input: {} }] };
const answer: ScriptedStep = { text: '{}' };

/** Every place where the loop waits for application code, each with code that never settles. */
const places: [string, Partial<AgentInit>, ScriptedStep[]][] = [
  ...hookPoints.map((on): [string, Partial<AgentInit>, ScriptedStep[]] => [
    `hook "hangs"`,
    { hooks: [defineHook({ name: 'hangs', on, run: never })], tools: [tool()] },
    on === 'on-error' ? [{ error: new Error('x') }] : [calls, answer],
  ]),
  [
    `prepare of plugin "p"`,
    { plugins: [definePlugin({ id: 'p', state: z.any(), prepare: never })] },
    [answer],
  ],
  [`needsApproval of tool "tool"`, { tools: [tool({ needsApproval: never })] }, [calls, answer]],
  [`input schema of tool "tool"`, { tools: [tool({ input: neverFits })] }, [calls, answer]],
  [`output schema of tool "tool"`, { tools: [tool({ output: neverFits })] }, [calls, answer]],
  [`responseFormat`, { responseFormat: neverFits }, [answer]],
  [`compileMessages`, { compileMessages: never as never }, [answer]],
];

async function run(init: Partial<AgentInit>, script: ScriptedStep[], signal?: AbortSignal) {
  const events: AgentEvent[] = [];
  const agent = scriptedAgent(script, { retry: { maxOutputRetries: 0 }, ...init });
  const loop = createAgentLoop(agent, { onEvent: (event) => events.push(event) });
  const state = await loop.execute(ask(), signal === undefined ? {} : { signal });
  return {
    state,
    ends: events.filter(({ type }) => type === 'execution-end').length,
    last: events.at(-1)?.type,
  };
}
const once = { ends: 1, last: 'execution-end' };

describe('code that never settles', () => {
  const titled = places.map(([author, init, script]) => {
    const on = init.hooks?.[0]?.on[0];
    return [on === undefined ? author : `${author} at ${on}`, author, init, script] as const;
  });

  it.each(titled)(
    '%s: the code is abandoned when the run is aborted',
    async (_title, _author, init, script) => {
      const { state, ...end } = await run(init, script, AbortSignal.timeout(30));
      expect(end).toEqual(once);
      const failed = script[0]?.error !== undefined;
      expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toContain('user-requested');
      expect(AgentState.status(state)).toBe(failed ? 'failed' : 'stopped');
    },
  );

  it.each(titled)(
    '%s: the code is abandoned at a stop signal from outside',
    async (_title, _author, init, script) => {
      const controller = new AbortController();
      const signal = stopRequested({ message: 'enough', source: 'me' });
      setTimeout(() => controller.abort(new AgentStopError(signal)), 20);
      const { state, ...end } = await run(init, script, controller.signal);
      expect(end).toEqual(once);
      expect(AgentState.stopSignals(state)).toContainEqual(signal);
    },
  );

  it.each(titled)(
    '%s: the code is abandoned when the time of the run is over',
    async (_title, _author, init, script) => {
      const { state, ...end } = await run({ ...init, budget: { maxSeconds: 0.03 } }, script);
      expect(end).toEqual(once);
      expect(AgentState.stopSignals(state).map(({ reason }) => reason)).toContain('time-limit-reached');
    },
  );

  it.each(titled)(
    '%s: the error names the code when its own time is over',
    async (_title, author, init, script) => {
      const { state, ...end } = await run({ ...init, hookTimeoutMs: 20 }, script);
      const asks = author.startsWith('needsApproval');
      // An approval rule that fails makes the run ask the person.
      expect(end).toEqual(asks ? { ends: 0, last: 'execution-pause' } : once);
      const reasons = AgentState.pendingApprovals(state).map(({ approval }) => approval?.reason);
      const text = [...AgentState.errors(state).map(({ message }) => message), ...reasons].join('\n');
      expect(text.toLowerCase()).toContain(author.toLowerCase());
    },
  );
});

describe('a hook that returns something other than a state', () => {
  const almost = { agentId: 'a', plugins: {}, execution: null, context: { store: {} } };
  it.each(
    [null, {}, 5, 'x', [], true, almost].flatMap((value) => hookPoints.map((on) => [value, on] as const)),
  )('a hook that returns %j at %s fails the run with its name, and the run ends once', async (value, on) => {
    const hook = defineHook({ name: 'odd', on, run: () => value as never });
    const script: ScriptedStep[] = on === 'on-error' ? [{ error: new Error('x') }] : [calls, answer];
    const { state, ...end } = await run({ hooks: [hook], tools: [tool()] }, script);
    expect(end).toEqual(once);
    expect(AgentState.status(state)).toBe('failed');
    expect(AgentState.errors(state)).toContainEqual(
      expect.objectContaining({ code: 'hook-contract', data: { hook: 'odd', point: on } }),
    );
    expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
  });
});

describe('code that breaks its contract', () => {
  it('ctx.update that breaks its contract is an error of the step, and the successful call keeps its result', async () => {
    const odd = tool({
      execute: (_input: unknown, ctx: ToolContext) => {
        ctx.update(() => undefined as never);
        return 'done';
      },
    });
    const { state, ...end } = await run({ tools: [odd] }, [calls, answer]);
    expect(end).toEqual(once);
    const [step] = AgentState.steps(state);
    expect(step?.toolExecutions).toMatchObject([{ status: 'completed', result: 'done', error: null }]);
    expect(step?.errors).toMatchObject([{ code: 'hook-contract' }]);
    expect(AgentState.status(state)).toBe('completed');
  });

  it('a response schema that throws fails the run with its error', async () => {
    const responseFormat = z.any().refine(() => {
      throw new Error('broken schema');
    });
    const { state, ...end } = await run({ responseFormat }, [answer]);
    expect(end).toEqual(once);
    expect([AgentState.status(state), AgentState.stopReason(state)]).toEqual(['failed', 'error-forbade']);
    expect(AgentState.errors(state).at(-1)?.message).toContain('broken schema');
  });
});
