import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allSections, selectedSections } from '../agent/compilers.ts';
import type { AgentEvent } from './events.ts';
import { defineHook } from '../agent/hook.ts';
import { summarizeHistory } from '../agent/guards/summarize-history.ts';
import type { ScriptedEntry } from '../testing/scripted-inference.ts';
import * as Message from '../graph/message.ts';
import * as MessageStore from '../graph/message-store.ts';
import * as AgentState from '../faces/agent-state.ts';
import { asked, collect, scriptedAgent } from '../testing/fixtures.ts';
import { fakeTool } from '../testing/fake-tool.ts';
import * as Tools from '../agent/tool-list.ts';
import { defineTool } from '../agent/tool.ts';
import { createAgentLoop } from './create-agent-loop.ts';

const run = async (
  script: ScriptedEntry[],
  init = {},
): Promise<{ state: ReturnType<typeof asked>; events: AgentEvent[] }> => {
  const events: AgentEvent[] = [];
  const state = await createAgentLoop(scriptedAgent(script, init), {
    onEvent: (event) => events.push(event),
  }).execute(asked());
  return { state, events };
};
const call = (...names: string[]): ScriptedEntry => ({
  toolCalls: names.map((name) => ({ name, input: {} })),
});
const delegate = (agent: string): ScriptedEntry => ({
  toolCalls: [{ name: 'delegate', input: { agent, task: 'Look' } }],
});

describe('tools', () => {
  it('case 124: that are fake give their value, and fail with their name', async () => {
    const broken = fakeTool('broken', () => Promise.reject(new Error('no')));
    const { state } = await run([call('fake', 'broken'), { text: 'x' }], {
      tools: [fakeTool('fake', { a: 1 }), broken],
    });
    const [first, second] = AgentState.steps(state)[0]!.toolExecutions;
    expect([first?.result, second?.status]).toEqual([{ a: 1 }, 'failed']);
    expect(second?.toolCall.name).toBe('broken');
  });

  it('case 125: are replaced in place, looked up with an error, removed and merged', () => {
    const [a, b, a2] = [fakeTool('a', 1), fakeTool('b', 2), fakeTool('a', 3)];
    expect(Tools.withTool([a, b], a2)).toEqual([a2, b]);
    expect(() => Tools.get([a], 'x')).toThrow(expect.objectContaining({ code: 'tool-not-found' }));
    expect(Tools.withoutTool([a, b], 'a')).toEqual([b]);
    expect(Tools.merge([a, b], [a2])).toEqual([a2, b]);
  });

  it('case 127: 500 calls of one step give 500 executions', async () => {
    const { state } = await run([call(...Array.from({ length: 500 }, () => 'noop')), { text: 'x' }], {
      tools: [fakeTool('noop', null)],
      toolConcurrency: 1,
    });
    expect(
      AgentState.steps(state)[0]?.toolExecutions.filter(({ status }) => status === 'completed'),
    ).toHaveLength(500);
  });

  it('case 128: see what hooks of earlier calls have written', async () => {
    const seen: unknown[] = [];
    const look = defineTool({
      name: 'look',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => void seen.push(ctx.state.context.metadata['n']),
    });
    const hook = defineHook({
      name: 'n',
      on: 'before-tool-use',
      run: (state) =>
        AgentState.withMetadata(state, { n: ((state.context.metadata['n'] as number | undefined) ?? 0) + 1 }),
    });
    await run([call('look', 'look'), { text: 'x' }], { tools: [look], hooks: [hook], toolConcurrency: 1 });
    expect(seen).toEqual([1, 2]);
  });

  it('tell how far they have come, and may be refused by their own rule', async () => {
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

  it('may change the state of the agent when they succeed', async () => {
    const mark = defineTool({
      name: 'mark',
      description: '',
      input: z.object({}),
      execute: (_input, ctx) => ctx.update((state) => AgentState.withMetadata(state, { marked: true })),
    });
    const { state } = await run([call('mark'), { text: 'x' }], { tools: [mark] });
    expect(AgentState.metadata(state)).toEqual({ marked: true });
  });

  it('are ended by their own time-out, and may word their errors for the model', async () => {
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

describe('subagents', () => {
  it('case 141: that do not exist are an error with the names that do', async () => {
    const { state } = await run([delegate('nobody'), { text: 'x' }], {
      subagents: [scriptedAgent([{}], { name: 'kid' })],
    });
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.error?.message).toMatch(
      /no subagent "nobody". Available: kid/,
    );
    expect(AgentState.status(state)).toBe('completed');
  });

  it('case 144: get the tools that the filter lets through', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => fakeTool(name, name)) as [
      ReturnType<typeof fakeTool>,
      ReturnType<typeof fakeTool>,
      ReturnType<typeof fakeTool>,
    ];
    expect(Tools.filter([a, b, c], { allow: ['a', 'b'], deny: ['b'] })).toEqual([a]);
    expect(Tools.filter([a, b, c], { allow: null })).toEqual([a, b, c]);
  });

  it('case 149 and 150: keep their own budget, and are announced with their depth', async () => {
    const kid = scriptedAgent([call('noop')], {
      name: 'kid',
      tools: [fakeTool('noop', 1)],
      budget: { maxSteps: 5 },
    });
    const { state, events } = await run([delegate('kid'), { text: 'x' }], { subagents: [kid], budget: {} });
    expect(AgentState.stepCount(AgentState.steps(state)[0]!.toolExecutions[0]!.childState!)).toBe(5);
    expect(events.find((event) => event.type === 'subagent-start')).toMatchObject({
      name: 'kid',
      path: [],
      toolCallId: AgentState.steps(state)[0]?.toolExecutions[0]?.id,
    });
    expect(events.find((event) => event.type === 'subagent-end')).toMatchObject({
      status: 'stopped',
    });
  });

  it('nest as deep as the policy allows', async () => {
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

  it('that wait for approval make their parent wait, and go on when it is answered', async () => {
    const risky = defineTool({
      name: 'risky',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => 'ok',
    });
    const kid = scriptedAgent([call('risky'), { text: 'kid done' }], { name: 'kid', tools: [risky] });
    const loop = createAgentLoop(scriptedAgent([delegate('kid'), { text: 'done' }], { subagents: [kid] }));
    const waiting = await loop.execute(asked());
    const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(waiting))));
    const [pending] = AgentState.pendingApprovals(restored);
    const done = await loop.execute(AgentState.withApproval(restored, pending!.toolCall.id));
    expect([AgentState.status(done), AgentState.steps(done)[0]?.toolExecutions[0]?.result]).toEqual([
      'completed',
      'kid done',
    ]);
  });
});

describe('events', () => {
  it('case 188, 190 and 191: leave out empty chunks, and end once with the true status', async () => {
    const { events } = await run([{ chunks: ['a', '', 'b'] }]);
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []))).toEqual(['a', 'b']);
    const failed = await run([{ error: new Error('x') }]);
    expect(failed.events.at(-1)).toMatchObject({ type: 'execution-end', status: 'failed' });
    expect(AgentState.stopReason(failed.state)).toBe('error-forbade');
  });

  it('case 186: of a subagent reach the listener of its parent, in between its own', async () => {
    const { state, events } = await run([delegate('kid'), { text: 'x' }], {
      subagents: [scriptedAgent([{ text: 'y' }], { name: 'kid' })],
    });
    const child = AgentState.steps(state)[0]!.toolExecutions[0]!.childState!;
    const own = events.filter(({ path }) => path.length === 0).map(({ type }) => type);
    const forwarded = events.filter(({ path }) => path.length > 0);
    expect(child.parentAgentId).toBe(state.agentId);
    expect(new Set(forwarded.flatMap(({ path }) => path))).toEqual(
      new Set([AgentState.steps(state)[0]!.toolExecutions[0]!.id]),
    );
    expect(forwarded.at(-1)?.type).toBe('execution-end');
    expect([own.indexOf('subagent-start') < own.indexOf('subagent-end'), own.at(-1)]).toEqual([
      true,
      'execution-end',
    ]);
  });

  it('case 194: a cancellation during step 1 lets it end as far as it came, and step 2 never starts', async () => {
    const controller = new AbortController();
    const agent = scriptedAgent([call('noop')], { tools: [fakeTool('noop', 1)] });
    const loop = createAgentLoop(agent, { onEvent: ({ type }) => type === 'tool-end' && controller.abort() });
    const state = await loop.execute(asked(), { signal: controller.signal });
    expect([AgentState.stepCount(state), AgentState.stopReason(state)]).toEqual([1, 'user-requested']);
    expect(AgentState.stepCount(await createAgentLoop(scriptedAgent([{ text: 'x' }])).execute(state))).toBe(
      1,
    );
  });
});

describe('the context', () => {
  it('case 196: a full buffer is folded into the summary, with the old summary', async () => {
    const inputs: string[] = [];
    const hook = summarizeHistory({
      maxTokens: 2,
      maxBufferTokens: 1,
      countTokens: () => 1,
      summarize({ summary, messages }) {
        inputs.push(`${summary}+${messages.map(Message.text).join()}`);
        return `S${inputs.length}`;
      },
    });
    const loop = createAgentLoop(scriptedAgent([{ text: 'answer' }], { hooks: [hook] }));
    const messages = ['1', '2', '3', '4'].map((text) => Message.user(text));
    const first = await loop.execute(AgentState.create({ messages }));
    const second = await loop.execute(
      AgentState.withUserMessage(AgentState.withUserMessage(first, '5'), '6'),
    );
    expect(inputs).toEqual(['+1,2', 'S1+3,4,answer']);
    expect(MessageStore.section(second.context.store, 'buffer')).toEqual([]);
    expect(MessageStore.section(second.context.store, 'summary').map(Message.text)).toEqual(['S2']);
  });

  it('is compiled as the agent says, and never parts a call from its result', async () => {
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

describe('an iteration', () => {
  it('that is left does nothing more', async () => {
    const agent = scriptedAgent([call('noop')], { tools: [fakeTool('noop', 1)] });
    const events: string[] = [];
    const loop = createAgentLoop(agent, { onEvent: ({ type }) => events.push(type) });
    for await (const state of loop.iterate(asked())) {
      expect(AgentState.stepCount(state)).toBe(1);
      break;
    }
    const count = events.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events.length).toBe(count);
  });

  it('of two agents of one definition are independent', async () => {
    const agent = scriptedAgent([{ text: 'x' }]);
    const [a, b] = await Promise.all([
      collect(createAgentLoop(agent).iterate(asked())),
      collect(createAgentLoop(agent).iterate(asked())),
    ]);
    expect(a[0]?.agentId).not.toBe(b[0]?.agentId);
    expect([a.length, b.length]).toEqual([1, 1]);
  });
});
