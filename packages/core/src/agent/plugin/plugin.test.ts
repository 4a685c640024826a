import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../run/events.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { createAgentLoop } from '../../agent-loop/create-agent-loop.ts';
import * as Message from '../../graph/message.ts';
import * as AgentState from '../../run/agent-state.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { defineTool } from '../tool.ts';
import * as PluginState from './plugin-state.ts';
import { definePlugin } from '../../features/define-plugin.ts';

type State = ReturnType<typeof ask>;
const list = definePlugin({ id: 'list', state: z.array(z.string()), initial: [] });
const input = z.object({ text: z.string() });
const add = defineTool({
  name: 'add',
  description: '',
  input,
  execute: ({ text }, ctx) => ctx.plugin(list).update((all = []) => [...all, text]),
});
const put = defineTool({
  name: 'put',
  description: '',
  input,
  async execute({ text }, ctx) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ctx.plugin(list).set([text]);
  },
});
const fail = defineTool({
  name: 'fail',
  description: '',
  input,
  execute({ text }, ctx) {
    ctx.plugin(list).set([text]);
    throw new Error('after the write');
  },
});
const calls = (...names: [string, string][]): { toolCalls: { name: string; input: { text: string } }[] } => ({
  toolCalls: names.map(([name, text]) => ({ name, input: { text } })),
});
const run = async (step: object, options = {}, onEvent?: (event: AgentEvent) => void): Promise<State> => {
  const agent = scriptedAgent([step, { text: 'x' }], {
    plugins: [list],
    tools: [add, put, fail],
    ...options,
  });
  return createAgentLoop(agent, onEvent ? { onEvent } : {}).execute(ask());
};

describe('plugin state in a run', () => {
  it('plugin state is not changed by a failed call, and records its writer', async () => {
    const failed = await run(calls(['fail', 'half']));
    expect(PluginState.revision(failed, list)).toBe(0);
    const done = await run(calls(['add', 'a']));
    expect(AgentState.steps(done)[0]?.toolExecutions[0]?.pluginWrites).toEqual([
      { pluginId: 'list', fromRevision: 0, toRevision: 1 },
    ]);
  });

  it('plugin state is saved while a call waits for approval', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input,
      needsApproval: true,
      execute: () => 'ok',
    });
    const agent = scriptedAgent([calls(['add', 'kept'], ['risky', 'x'], ['add', 'too'])], {
      plugins: [list],
      tools: [add, risky],
    });
    const waiting = await createAgentLoop(agent).execute(ask());
    const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(waiting))));
    expect(PluginState.get(restored, list)).toEqual(['kept', 'too']);
    expect(AgentState.currentStep(restored)?.toolExecutions).toHaveLength(3);
  });

  it('plugin state is not changed by a call whose result does not fit its schema', async () => {
    const wrong = defineTool({
      name: 'wrong',
      description: '',
      input,
      output: z.number(),
      execute: () => 'x' as never,
    });
    const state = await run(calls(['wrong', 'x']), { tools: [wrong] });
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.error?.code).toBe('tool-output-invalid');
  });

  it('plugin state that cannot be loaded is quarantined and reported, and the run continues', async () => {
    const old = PluginState.set(AgentState.create(), definePlugin({ id: 'v', state: z.string() }), 'a,b');
    const gap = definePlugin({ id: 'v', version: 3, state: z.array(z.string()), initial: [] });
    const ran = await createAgentLoop(scriptedAgent([{ text: 'x' }], { plugins: [gap] })).execute(
      AgentState.withUserMessage(old, 'Hi'),
    );
    expect([AgentState.status(ran), AgentState.errors(ran)[0]?.code]).toEqual([
      'completed',
      'plugin-state-invalid',
    ]);
    expect(ran.plugins).toMatchObject({ 'quarantine:v': { version: 1, data: 'a,b' } });
    expect(PluginState.get(ran, gap)).toEqual([]);
  });

  it('a tool without a plugin has no state of its own', async () => {
    const lost = defineTool({
      name: 'lost',
      description: '',
      input,
      execute: (_input, ctx) => ctx.own().get(),
    });
    const state = await run(calls(['lost', 'x']), { tools: [lost] });
    expect(AgentState.errors(state)[0]?.code).toBe('plugin-unknown');
  });

  it('parallel updates are combined; a lost set is an error of the step, and its call still succeeds', async () => {
    const folded = await run(calls(['add', 'a'], ['add', 'b'], ['add', 'c']));
    expect(PluginState.get(folded, list)).toEqual(['a', 'b', 'c']);
    const lost = await run(calls(['put', 'b'], ['add', 'a']));
    expect(PluginState.get(lost, list)).toEqual(['a']);
    expect(AgentState.errors(lost)[0]?.code).toBe('plugin-state-conflict');
    expect(AgentState.steps(lost)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
  });
});

describe('a call that needs approval', () => {
  it('an approved call reports its end and does not reset the budget', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input,
      needsApproval: true,
      execute: () => 'ok',
    });
    const agent = scriptedAgent([calls(['risky', 'x'])], { tools: [risky], budget: { maxSteps: 2 } });
    const ends: string[] = [];
    const loop = createAgentLoop(agent, {
      onEvent: (event) => event.type === 'tool-end' && ends.push(event.toolCallId),
    });
    let state = await loop.execute(ask());
    for (let round = 0; round < 2; round++) {
      const id = AgentState.pendingApprovals(state)[0]!.toolCall.id;
      state = await loop.execute(AgentState.withApproval(state, id));
    }
    expect(ends).toHaveLength(2);
    expect([AgentState.stepCount(state), AgentState.stopReason(state)]).toEqual([2, 'steps-limit-reached']);
  });

  it('a call with a remembered decision is not asked about again', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input,
      needsApproval: true,
      execute: () => 'ok',
    });
    const agent = scriptedAgent(
      [calls(['risky', 'x'], ['risky', 'y']), calls(['risky', 'z']), { text: 'done' }],
      { tools: [risky] },
    );
    const loop = createAgentLoop(agent);
    const waiting = await loop.execute(ask());
    const [first, second] = AgentState.pendingApprovals(waiting).map(({ toolCall }) => toolCall.id) as [
      string,
      string,
    ];
    const done = await loop.execute(
      AgentState.withApproval(AgentState.withApproval(waiting, first), second, { remember: 'execution' }),
    );
    expect([AgentState.status(done), AgentState.stepCount(done)]).toEqual(['completed', 3]);
  });
});

describe('the prepare function of a plugin', () => {
  it('prepare runs before every model call: state selects the tools, tools change the state', async () => {
    const requests: InferenceRequest[] = [];
    const secret = defineTool({
      name: 'secret',
      description: '',
      input: z.object({}),
      execute: () => 'opened',
    });
    const open = defineTool({
      name: 'open',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => ctx.own<boolean>().set(true),
    });
    const door = definePlugin({
      id: 'door',
      state: z.boolean(),
      initial: false,
      tools: [open],
      prepare: (ctx) =>
        ctx.get()
          ? { tools: [secret], context: [{ name: 'Door', content: 'open' }] }
          : { instructions: 'Open the door.' },
    });
    const agent = scriptedAgent(
      [
        (request) => (requests.push(request), { toolCalls: [{ name: 'open', input: {} }] } as never),
        (request) => (requests.push(request), { toolCalls: [{ name: 'secret', input: {} }] } as never),
        { text: 'x' },
      ],
      { plugins: [door] },
    );
    const state = await createAgentLoop(agent).execute(ask());
    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['open'],
      ['open', 'secret'],
    ]);
    expect(requests.map(({ messages }) => Message.text(messages[0]!))).toEqual([
      'Be brief.\n\nOpen the door.',
      'Be brief.',
    ]);
    expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([
      { output: expect.stringContaining('<context name="Door">\nopen\n</context>') },
    ]);
    expect(AgentState.steps(state)[1]?.toolExecutions[0]?.result).toBe('opened');
  });
});
