import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allSections, selectedSections } from '../agent/compilers.ts';
import type { AgentEvent } from './events.ts';
import { text } from '../graph/message.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import * as AgentState from './agent-state.ts';
import { ask, collect, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { askingTool } from '@vitrine/testing/internal/session.fixture';
import { defineHook } from '../agent/hook.ts';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { defineTool } from '../agent/tool.ts';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';

const run = async (
  script: ScriptedEntry[],
  init = {},
): Promise<{ state: ReturnType<typeof ask>; events: AgentEvent[] }> => {
  const events: AgentEvent[] = [];
  const state = await createAgentLoop(scriptedAgent(script, init), {
    onEvent: (event) => events.push(event),
  }).execute(ask());
  return { state, events };
};
const call = (...names: string[]): ScriptedEntry => ({
  toolCalls: names.map((name) => ({ name, input: {} })),
});
const delegate = (agent: string): ScriptedEntry => ({
  toolCalls: [{ name: 'delegate', input: { agent, task: 'Look' } }],
});

describe('the tools of an agent', () => {
  it('a tool reports its progress, and its own rule may reject a call', async () => {
    const work = defineTool({
      name: 'work',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => ctx.report({ done: 0.5 }),
    });
    const never = defineTool({
      name: 'never',
      description: '',
      input: z.object({}),
      needsApproval: () => ({ deny: 'too risky' }),
      execute: () => 1,
    });
    const { state, events } = await run([call('work', 'never'), { text: 'x' }], { tools: [work, never] });
    expect(events.find((event) => event.type === 'tool-progress')).toMatchObject({
      toolCallId: AgentState.steps(state)[0]?.toolExecutions[0]?.id,
      progress: { done: 0.5 },
    });
    expect(AgentState.steps(state)[0]?.toolExecutions[1]).toMatchObject({
      status: 'rejected',
      error: { message: expect.stringContaining('too risky') },
    });
  });

  it('a successful tool may change the state of the agent', async () => {
    const mark = defineTool({
      name: 'mark',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => ctx.update((state) => AgentState.withMetadata(state, { marked: true })),
    });
    const { state } = await run([call('mark'), { text: 'x' }], { tools: [mark] });
    expect(AgentState.metadata(state)).toEqual({ marked: true });
  });

  it('a tool is ended by its own timeout, and may word its errors for the model', async () => {
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: z.object({}),
      timeoutMs: 10,
      execute: () => new Promise(() => undefined),
    });
    const kind = defineTool({
      name: 'kind',
      description: '',
      input: z.object({}),
      errorMessage: () => 'Try again later',
      execute: () => Promise.reject(new Error('x')),
    });
    const { state } = await run([call('slow', 'kind'), { text: 'x' }], { tools: [slow, kind] });
    const [first, second] = AgentState.steps(state)[0]!.toolExecutions;
    expect([first?.error?.code, second?.error?.message, second?.error?.cause?.message]).toEqual([
      'tool-timeout',
      'Try again later',
      'x',
    ]);
  });
});

describe('the subagents of an agent', () => {
  it('subagents nest as deep as the policy allows', async () => {
    const leaf = scriptedAgent([{ text: 'leaf' }], { name: 'leaf' });
    const middle = scriptedAgent([delegate('leaf'), { text: 'middle' }], {
      name: 'middle',
      subagents: [leaf],
    });
    const allowed = await run([delegate('middle'), { text: 'x' }], { subagents: [middle] });
    const child = AgentState.steps(allowed.state)[0]!.toolExecutions[0]!.childState!;
    expect(AgentState.steps(child)[0]?.toolExecutions[0]?.result).toBe('leaf');
    const limited = await run([delegate('middle'), { text: 'x' }], {
      subagents: [
        scriptedAgent([delegate('leaf'), { text: 'middle' }], { name: 'middle', subagents: [leaf] }),
      ],
      subagentPolicy: { maxDepth: 1 },
    });
    const refused = AgentState.steps(limited.state)[0]!.toolExecutions[0]!.childState!;
    expect(AgentState.errors(refused)[0]?.message).toMatch(/1 deep, 1 is allowed/);
  });

  it('a subagent uses its own tool when its parent lends one of the same name', async () => {
    const requests: InferenceRequest[] = [];
    const kid = scriptedAgent([call('look'), (request) => (requests.push(request), { text: 'seen' })], {
      name: 'kid',
      tools: [fakeTool('look', 'own')],
    });
    const { state } = await run([delegate('kid'), { text: 'x' }], {
      tools: [fakeTool('look', 'lent'), fakeTool('other', 1)],
      subagents: [{ agent: kid, inheritTools: ['look', 'other'] }],
    });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['look', 'other']);
    const child = AgentState.steps(state)[0]!.toolExecutions[0]!.childState!;
    expect(AgentState.steps(child)[0]?.toolExecutions[0]?.result).toBe('own');
  });

  it('a subagent has no tool of its parent that is not lent', async () => {
    const requests: InferenceRequest[] = [];
    const kid = scriptedAgent([(request) => (requests.push(request), { text: 'seen' })], { name: 'kid' });
    await run([delegate('kid'), { text: 'x' }], { tools: [fakeTool('look', 1)], subagents: [kid] });
    expect(requests[0]?.tools).toEqual([]);
  });

  it('the duration of a subagent is its work before and after waiting for a person', async () => {
    const env = fixedEnv();
    const works = defineHook({ name: 'works', on: 'before-inference', run: () => env.advance(1000) });
    const { tool } = askingTool('pay');
    const kid = scriptedAgent([call('pay'), { text: 'paid' }], {
      name: 'kid',
      tools: [tool],
      hooks: [works],
    });
    const agent = scriptedAgent([delegate('kid'), { text: 'x' }], { subagents: [kid] });
    const loop = createAgentLoop(agent, { env });
    const paused = await loop.execute(ask('Pay', env));
    env.advance(3_600_000);
    const [pending] = AgentState.pendingApprovals(paused);
    const state = await loop.execute(AgentState.withApproval(paused, pending!.id, {}, env));
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.durationMs).toBe(2000);
  });

  it('a subagent that waits for approval makes its parent wait, and both continue after the answer', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => 'ok',
    });
    const kid = scriptedAgent([call('risky'), { text: 'kid done' }], { name: 'kid', tools: [risky] });
    const loop = createAgentLoop(scriptedAgent([delegate('kid'), { text: 'done' }], { subagents: [kid] }));
    const waiting = await loop.execute(ask());
    const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(waiting))));
    const [pending] = AgentState.pendingApprovals(restored);
    const done = await loop.execute(AgentState.withApproval(restored, pending!.toolCall.id));
    expect([AgentState.status(done), AgentState.steps(done)[0]?.toolExecutions[0]?.result]).toEqual([
      'completed',
      'kid done',
    ]);
  });
});

describe('the context of a run', () => {
  it('the system prompt of the state comes before that of the agent', async () => {
    const instructions = async (state: ReturnType<typeof ask>): Promise<string> => {
      const { requests } = await expectRun(
        [{ text: 'x' }],
        { systemPrompt: 'Of the agent' },
        { state },
      ).toEnd('completed', 'completed');
      return text(requests[0]!.messages[0]!);
    };
    expect(await instructions(ask())).toBe('Of the agent');
    expect(await instructions(AgentState.withSystemPrompt(ask(), 'Of the state'))).toBe('Of the state');
  });

  it("a compiled context follows the agent's function, and never separates a call from its result", async () => {
    const { state } = await run([call('noop'), { text: 'x' }], { tools: [fakeTool('noop', 1)] });
    expect(allSections(state).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const cut = AgentState.withMessages(
      state,
      AgentState.messages(state).filter(({ role }) => role !== 'tool'),
    );
    expect(selectedSections(['messages'])(cut).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });
});

describe('an iteration over a run', () => {
  it('an iteration that is left early does nothing more', async () => {
    const agent = scriptedAgent([call('noop')], { tools: [fakeTool('noop', 1)] });
    const events: string[] = [];
    const loop = createAgentLoop(agent, { onEvent: ({ type }) => events.push(type) });
    for await (const state of loop.iterate(ask())) {
      expect(AgentState.stepCount(state)).toBe(1);
      break;
    }
    const count = events.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events.length).toBe(count);
  });

  it('two iterations of one definition are independent', async () => {
    const agent = scriptedAgent([{ text: 'x' }]);
    const [a, b] = await Promise.all([
      collect(createAgentLoop(agent).iterate(ask())),
      collect(createAgentLoop(agent).iterate(ask())),
    ]);
    expect(a[0]?.agentId).not.toBe(b[0]?.agentId);
    expect([a.length, b.length]).toEqual([1, 1]);
  });
});
