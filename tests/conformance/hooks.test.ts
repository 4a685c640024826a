import { type AgentEvent, AgentState, createAgentLoop, defineHook, type Hook, Message } from '@vitrine/core';
import type { HookInit } from '@vitrine/core/types';
import { describe, expect, it, vi } from 'vitest';
import { asked, call, calls, expectRun, final, scripted, throws } from './fixtures.ts';

const hook = (name: string, init: Omit<HookInit, 'name'>): Hook => defineHook({ name, ...init });
const hookPoints = hook('all', { on: 'all', run: () => undefined }).on;
/** A hook that writes its letter behind what stands under `order`. */
const writes = (letter: string, priority = 0): Hook =>
  hook(letter, {
    on: 'before-step',
    priority,
    run: (state) =>
      AgentState.withMetadata(state, {
        order: `${(AgentState.metadata(state)['order'] as string | undefined) ?? ''}${letter}`,
      }),
  });
const ended = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'hook-end' ? [event.hook] : []));

describe('hooks', () => {
  it('96 run by priority, the highest first, and equal ones in their order', async () => {
    const hooks = [writes('c', 0), writes('a', 10), writes('b', 10), writes('d', 0), writes('e', -1)];
    const { state, events } = await expectRun([final()], { hooks }).toEnd('completed', 'completed');
    expect(ended(events)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(AgentState.metadata(state)['order']).toBe('abcde');
  });

  it('97 see what those before them have written', async () => {
    const hooks = [writes('+low'), writes('high', 10)];
    const { state } = await expectRun([final()], { hooks }).toEnd('completed', 'completed');
    expect(AgentState.metadata(state)['order']).toBe('high+low');
  });

  it('98 run at their points only: one, all of them, or none', async () => {
    const seen: Record<string, string[]> = { one: [], all: [], none: [] };
    const watch = (name: string, on: HookInit['on']): Hook =>
      hook(name, { on, run: (_state, ctx) => void seen[name]?.push(ctx.point) });
    const hooks = [watch('one', 'before-step'), watch('all', 'all'), watch('none', [])];
    await expectRun([call(), throws('x')], { hooks }).toEnd('failed', 'error-forbade');
    expect(seen['one']).toEqual(['before-step', 'before-step']);
    expect(new Set(seen['all'])).toEqual(new Set(hookPoints));
    expect(seen['none']).toEqual([]);
  });

  it('99 hooks are added to a new stack; the old one is unchanged', () => {
    const { hooks: stack } = scripted([final()], { hooks: [writes('a')] });
    const { hooks: next } = scripted([final()], { hooks: [...stack, writes('b', 1)] });
    expect(next.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(stack.map(({ name }) => name)).toEqual(['a']);
  });

  it('101 hooks that change messages before the model is called change the next request, not this one', async () => {
    const change = hook('change', {
      on: 'before-inference',
      run: (state) => AgentState.withMessages(state, [Message.user('changed')]),
    });
    const { requests } = await expectRun([call(), final()], { hooks: [change] }).toEnd(
      'completed',
      'completed',
    );
    const asks = requests.map(({ messages }) => messages.filter(({ role }) => role === 'user'));
    expect(asks.map((list) => list.map(Message.text))).toEqual([['Hello'], ['changed']]);
  });

  it('106 hooks may block a call together with all later hooks', async () => {
    const block = hook('block', {
      on: 'before-tool-use',
      run: (_state, ctx) => ctx.block('no', { stopBatch: true }),
    });
    const { state, events } = await expectRun([calls('bad', 'ok'), final()], { hooks: [block] }).toEnd(
      'completed',
      'completed',
    );
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'blocked',
      'interrupted',
    ]);
    expect(events.filter(({ type }) => type === 'tool-start')).toEqual([]);
    expect(ended(events)).toEqual(['block']);
  });

  it('107 hooks that block a call may give a result of their own in place of the failure', async () => {
    const block = (own: boolean): Hook =>
      hook('own', {
        on: 'before-tool-use',
        run(state, ctx) {
          ctx.block('not today');
          const [execution] = AgentState.currentStep(state)!.toolExecutions;
          if (own) ctx.replace('execution', { ...execution!, status: 'completed', result: 'mine' });
        },
      });
    const run = async (own: boolean) =>
      await expectRun([call(), final()], { hooks: [block(own)] }).toEnd('completed', 'completed');
    const [mine, failure] = [await run(true), await run(false)];
    const first = ({ state }: typeof mine) => AgentState.steps(state)[0]?.toolExecutions[0];
    expect(first(mine)).toMatchObject({ status: 'completed', result: 'mine', error: null });
    expect(mine.requests[1]?.messages.at(-1)?.parts).toMatchObject([{ output: 'mine' }]);
    expect(first(failure)).toMatchObject({ status: 'blocked', error: { code: 'tool-blocked' } });
    expect(first(failure)).not.toHaveProperty('result');
  });

  it('110 hooks that replace more than their point allows are refused, reported, or neither', async () => {
    const seen: unknown[] = [];
    const hooks = [
      hook('wrong', {
        on: 'before-step',
        run: (_state, ctx) => ctx.replace('toolCall', { id: 'x', name: 'y', input: 1, providerCallId: null }),
      }),
      hook('next', { on: 'before-step', run: (_state, ctx) => void seen.push(ctx.fields.toolCall?.name) }),
    ];
    const strict = await expectRun([final()], { hooks }, { hookContract: 'strict' }).toEnd(
      'failed',
      'error-forbade',
      { modelCalls: 0 },
    );
    expect(AgentState.errors(strict.state)).toMatchObject([
      { code: 'hook-contract', data: { hook: 'wrong', point: 'before-step', field: 'toolCall' } },
    ]);
    expect(seen).toEqual([]);
    const violations = (events: readonly AgentEvent[]): AgentEvent[] =>
      events.filter(({ type }) => type === 'hook-violation');
    const told = await expectRun([final()], { hooks }, { hookContract: 'diagnostics' }).toEnd(
      'completed',
      'completed',
    );
    expect(violations(told.events)).toMatchObject([
      { hook: 'wrong', point: 'before-step', field: 'toolCall' },
    ]);
    expect(seen).toEqual(['y']);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const plain = await expectRun([final()], { hooks }).toEnd('completed', 'completed');
    warn.mockRestore();
    expect(violations(plain.events)).toEqual([]);
    expect(seen).toEqual(['y', 'y']);
  });

  it('111 hooks may change the state everywhere, under the strict contract too', async () => {
    expect(hookPoints).toHaveLength(10);
    const mark = hook('mark', {
      on: 'all',
      run: (state, ctx) => AgentState.withMetadata(state, { [ctx.point]: true }),
    });
    const { state } = await expectRun(
      [call(), throws('x')],
      { hooks: [mark] },
      { hookContract: 'strict' },
    ).toEnd('failed', 'error-forbade');
    expect(Object.keys(AgentState.metadata(state)).toSorted()).toEqual([...hookPoints].toSorted());
  });

  it('112 hooks of a copy are the only ones that run, at the model and tools too', async () => {
    const seen: string[] = [];
    const watch = (name: string): Hook =>
      hook(name, { on: 'all', run: (_state, ctx) => void seen.push(`${name} ${ctx.point}`) });
    const agent = scripted([call(), final()], { hooks: [watch('old')] });
    await createAgentLoop({ ...agent, hooks: scripted([], { hooks: [watch('new')] }).hooks }).execute(
      asked(),
    );
    expect(seen.filter((entry) => entry.startsWith('old'))).toEqual([]);
    for (const point of ['before-inference', 'after-inference', 'before-tool-use', 'after-tool-use'])
      expect(seen).toContain(`new ${point}`);
  });

  it('114 end their sequence when one throws, which is told of the ones before it only', async () => {
    const third = vi.fn();
    const hooks = [
      hook('first', { on: 'before-step', run: () => undefined }),
      hook('second', { on: 'before-step', run: () => Promise.reject(new Error('broken')) }),
      hook('third', { on: 'before-step', run: third }),
    ];
    const { state, events } = await expectRun([final()], { hooks }).toEnd('failed', 'error-forbade');
    expect(third).not.toHaveBeenCalled();
    expect(ended(events)).toEqual(['first']);
    expect(AgentState.errors(state).map(({ message }) => message)).toEqual(['broken']);
  });
});
