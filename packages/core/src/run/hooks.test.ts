import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from './events.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { createAgentLoop } from './create-agent-loop.ts';
import * as Message from '../graph/message.ts';
import * as AgentState from '../faces/agent-state.ts';
import * as StopSignal from '../graph/stop-signal.ts';
import { asked, scriptedAgent } from '../testing/fixtures.ts';
import { defineTool } from '../agent/tool.ts';
import { finishReasonGuard } from '../agent/guards/finish-reason-guard.ts';
import { defineHook, type Hook, type HookInit, hookPoints, mutableFields } from '../agent/hook.ts';
import * as HookStack from '../agent/hook-stack.ts';

const ok = defineTool({ name: 'ok', description: '', input: z.object({}), execute: () => 'ok' });
const call = { toolCalls: [{ name: 'ok', input: {} }] };
const hook = (name: string, init: Omit<HookInit, 'name'>): Hook => defineHook({ name, ...init });
const run = async (
  hooks: Hook[],
  script: Parameters<typeof scriptedAgent>[0] = [{ text: 'x' }],
  options = {},
): Promise<{ state: ReturnType<typeof asked>; events: AgentEvent[] }> => {
  const events: AgentEvent[] = [];
  const loop = createAgentLoop(scriptedAgent(script, { hooks, tools: [ok] }), {
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { state: await loop.execute(asked()), events };
};

describe('hooks', () => {
  it('case 96 and 97: run by priority, equals in their order', async () => {
    const append = (letter: string) => (state: ReturnType<typeof asked>) =>
      AgentState.withMetadata(state, {
        order: `${(state.context.metadata['order'] as string | undefined) ?? ''}${letter}`,
      });
    const { state } = await run([
      hook('low', { on: 'before-step', run: append('c') }),
      hook('high', { on: 'before-step', priority: 10, run: append('a') }),
      hook('high2', { on: 'before-step', priority: 10, run: append('b') }),
    ]);
    expect(AgentState.metadata(state)['order']).toBe('abc');
  });

  it('case 98: run at their points only, `all` at every one', async () => {
    const seen: string[] = [];
    await run(
      [
        hook('one', { on: 'before-step', run: (_state, ctx) => void seen.push(`one ${ctx.point}`) }),
        hook('all', { on: 'all', run: (_state, ctx) => void seen.push(ctx.point) }),
      ],
      [call, { error: new Error('x') }],
    );
    expect(seen.filter((entry) => entry.startsWith('one'))).toEqual(['one before-step', 'one before-step']);
    expect(new Set(seen.filter((entry) => !entry.startsWith('one')))).toEqual(new Set(hookPoints));
  });

  it('case 99: are added to a new stack', () => {
    const stack = HookStack.of([]);
    expect(HookStack.withHook(stack, hook('a', { on: 'all', run: () => undefined }))).toHaveLength(1);
    expect(stack).toHaveLength(0);
  });

  it('run in the order of one run', async () => {
    const seen: string[] = [];
    await run(
      [hook('all', { on: 'all', run: (_state, ctx) => void seen.push(ctx.point) })],
      [call, { text: 'x' }],
    );
    expect(seen.join(' ')).toBe(
      'before-execution before-step before-inference after-inference before-tool-use after-tool-use after-step before-step before-inference after-inference after-step on-stop after-execution',
    );
  });

  it('case 101: that change the state change the next request, not the present one', async () => {
    const requests: InferenceRequest[] = [];
    const change = hook('change', {
      on: 'before-inference',
      run: (state) => AgentState.withMessages(state, [Message.user('changed')]),
    });
    await run(
      [change],
      [
        (request) => (requests.push(request), call as never),
        (request) => (requests.push(request), { text: 'x' } as never),
      ],
    );
    expect(
      requests.map(({ messages }) => Message.text(messages.find(({ role }) => role === 'user')!)),
    ).toEqual(['Hello', 'changed']);
  });

  it('may replace the request, the call and the result', async () => {
    const requests: InferenceRequest[] = [];
    const { state } = await run(
      [
        hook('request', {
          on: 'before-inference',
          run: (_state, ctx) => ctx.replace('request', { ...ctx.fields.request!, model: 'other' }),
        }),
        hook('result', {
          on: 'after-tool-use',
          run: (_state, ctx) => ctx.replace('execution', { ...ctx.fields.execution!, result: 'replaced' }),
        }),
      ],
      [(request) => (requests.push(request), call as never), { text: 'x' }],
    );
    expect(requests[0]?.model).toBe('other');
    expect(AgentState.messages(state).find(({ role }) => role === 'tool')?.parts[0]).toMatchObject({
      output: 'replaced',
    });
  });

  it('case 107: may block a call, and give a result of their own', async () => {
    const blocked = await run(
      [hook('block', { on: 'before-tool-use', run: (_state, ctx) => ctx.block('not today') })],
      [call, { text: 'x' }],
    );
    expect(AgentState.steps(blocked.state)[0]?.toolExecutions[0]).toMatchObject({
      status: 'blocked',
      error: { message: expect.stringContaining('not today') },
    });
    const own = hook('own', {
      on: 'before-tool-use',
      run: (state, ctx) =>
        ctx.replace('execution', {
          ...AgentState.currentStep(state)!.toolExecutions[0]!,
          status: 'completed',
          result: 'mine',
        }),
    });
    const { state } = await run([own], [call, { text: 'x' }]);
    expect(AgentState.steps(state)[0]?.toolExecutions[0]).toMatchObject({
      status: 'completed',
      result: 'mine',
    });
  });

  it('case 106: may block a call together with those after it', async () => {
    const execute = vi.fn(() => 'ok');
    const tool = defineTool({ name: 'ok', description: '', input: z.object({}), execute });
    const block = hook('block', {
      on: 'before-tool-use',
      run: (_state, ctx) => ctx.block('no', { stopBatch: true }),
    });
    const script = [
      {
        toolCalls: [
          { name: 'ok', input: {} },
          { name: 'ok', input: {} },
        ],
      },
      { text: 'x' },
    ];
    const state = await createAgentLoop(scriptedAgent(script, { hooks: [block], tools: [tool] })).execute(
      asked(),
    );
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'blocked',
      'interrupted',
    ]);
    expect([execute.mock.calls.length, AgentState.status(state)]).toEqual([0, 'completed']);
  });

  it('case 110: are told when they replace what nothing reads', async () => {
    const wrong = hook('wrong', {
      on: 'before-step',
      run: (_state, ctx) => ctx.replace('toolCall', { id: 'x', name: 'y', input: 1, providerCallId: null }),
    });
    const strict = await run([wrong], undefined, { hookContract: 'strict' });
    expect(AgentState.errors(strict.state)[0]).toMatchObject({
      code: 'hook-contract',
      data: { hook: 'wrong', point: 'before-step', field: 'toolCall' },
    });
    const diagnosed = await run([wrong], undefined, { hookContract: 'diagnostics' });
    expect(diagnosed.events.filter((event) => event.type === 'hook-violation')).toHaveLength(1);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await run([wrong]);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('"wrong"'));
    warn.mockRestore();
  });

  it('case 111: may replace exactly these fields', () => {
    const entries = Object.entries(mutableFields).filter(([, fields]) => fields.length > 0);
    expect(Object.fromEntries(entries)).toEqual({
      'before-inference': ['request'],
      'after-inference': ['response'],
      'before-tool-use': ['toolCall', 'blocked', 'execution', 'errors'],
      'after-tool-use': ['execution'],
      'on-error': ['errors'],
    });
  });

  it('case 114: end their sequence when one throws, and the run says so', async () => {
    const third = vi.fn();
    const { state, events } = await run([
      hook('first', { on: 'before-step', run: () => undefined }),
      hook('second', { on: 'before-step', run: () => Promise.reject(new Error('broken')) }),
      hook('third', { on: 'before-step', run: third }),
    ]);
    expect(third).not.toHaveBeenCalled();
    expect(events.flatMap((event) => (event.type === 'hook-end' ? [event.hook] : []))).toEqual(['first']);
    expect([AgentState.status(state), AgentState.errors(state)[0]?.message]).toEqual(['failed', 'broken']);
  });

  it('case 55 and 62: at the end see a run that is still in progress, and may turn it', async () => {
    const seen: unknown[] = [];
    const { state } = await run([
      hook('late', {
        on: 'after-execution',
        run(current) {
          seen.push(AgentState.status(current));
          return AgentState.withStopSignal(current, StopSignal.userRequested());
        },
      }),
    ]);
    expect([seen, AgentState.status(state)]).toEqual([['in-progress'], 'stopped']);
    const points: string[] = [];
    const stop = hook('stop', {
      on: 'before-step',
      run: (current) => AgentState.withStopSignal(current, StopSignal.stopRequested()),
    });
    const stopped = await run([
      stop,
      hook('all', {
        on: ['after-step', 'on-stop', 'after-execution'],
        run: (_state, ctx) => void points.push(ctx.point),
      }),
    ]);
    expect(points).toEqual(['on-stop', 'after-execution']);
    expect(stopped.events.some((event) => event.type === 'step-end')).toBe(false);
  });
});

describe('the guard for finish reasons', () => {
  it('case 89: stops at the given ones, and not without any', async () => {
    const state = (await run([finishReasonGuard(['length'])], [{ ...call, finishReason: 'length' }])).state;
    expect([AgentState.stopReason(state), AgentState.status(state)]).toEqual([
      'finish-reason-received',
      'completed',
    ]);
    const other = (await run([finishReasonGuard(['other'])], [{ error: new Error('x') }])).state;
    expect(AgentState.stopReason(other)).toBe('error-forbade');
  });
});
