import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineHook, type HookInit } from '../agent/hook.ts';
import * as PluginState from '../agent/plugin/plugin-state.ts';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { user } from '../graph/message.ts';
import { stopRequested } from '../graph/stop-signal.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentEvent, AgentEventOf, AgentEventType } from './events.ts';
import { createJournal } from './journal.ts';
import { definePlugin } from '../features/define-plugin.ts';

const ok = fakeTool('ok', 'own');
const call = { toolCalls: [{ name: 'ok', input: {} }] };
const hook = (name: string, on: HookInit['on'], run: HookInit['run'] = () => undefined) =>
  defineHook({ name, on, run });
/** The types of the events in order; for hooks their point. */
const order = (events: readonly AgentEvent[]): string[] =>
  events.map((event) => (event.type === 'hook-end' ? `(${event.point})` : event.type));
const only = <Type extends AgentEventType>(events: readonly AgentEvent[], type: Type): AgentEventOf<Type>[] =>
  events.filter((event): event is AgentEventOf<Type> => event.type === type);

describe('the events of a run', () => {
  it('the events of a run have one order, with hooks at their places between them', async () => {
    const { events } = await expectRun([{ ...call, text: 'ab', chunks: 2 }, { text: 'Done' }], {
      tools: [ok],
      hooks: [hook('all', 'all')],
    }).toEnd('completed', 'completed');
    const opening = [
      'step-start',
      '(before-step)',
      'continuation-evaluate',
      '(before-inference)',
      'inference-start',
      'first-delta',
    ];
    expect(order(events)).toEqual([
      'execution-start',
      '(before-execution)',
      ...opening,
      'text-delta',
      'text-delta',
      'tool-call',
      '(after-inference)',
      'inference-end',
      '(before-tool-use)',
      'tool-start',
      'tool-end',
      '(after-tool-use)',
      'call-settle',
      '(after-step)',
      'step-end',
      'continuation-evaluate',
      ...opening,
      'text-delta',
      '(after-inference)',
      'inference-end',
      '(after-step)',
      'step-end',
      'stop-signal',
      'continuation-evaluate',
      '(on-stop)',
      '(after-execution)',
      'execution-end',
    ]);
    const checks = only(events, 'continuation-evaluate').map(({ evaluation }) => [
      evaluation.at,
      evaluation.stepNumber,
    ]);
    expect(checks).toEqual([
      ['before-step', 1],
      ['after-step', 1],
      ['before-step', 2],
      ['after-step', 2],
    ]);
  });

  it('every listener receives the events in order, also when one of them commits another', () => {
    const journal = createJournal(AgentState.create());
    const [first, second]: [number[], number[]] = [[], []];
    const note = (by: string): void =>
      void journal.commit([], { type: 'metadata-change', source: 'app', set: { [by]: true }, removed: [] });
    journal.subscribe(({ seq }) => {
      first.push(seq ?? 0);
      if (seq === 1) note('second');
    });
    journal.subscribe(({ seq }, { seq: after }) => {
      second.push(seq ?? 0);
      expect(after).toBe(seq);
    });
    note('first');
    expect([first, second]).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('a failed model call is recorded as an error in its step, followed by the end', async () => {
    const hooks = [hook('all', 'all')];
    const { events } = await expectRun([{ error: new Error('x') }], { hooks }).toEnd(
      'failed',
      'error-forbade',
    );
    expect(order(events).slice(order(events).indexOf('inference-start'))).toEqual([
      'inference-start',
      'usage-charge',
      'error-record',
      'stop-signal',
      '(on-error)',
      '(after-step)',
      'step-end',
      'continuation-evaluate',
      '(on-stop)',
      '(after-execution)',
      'execution-end',
    ]);
  });

  it('the end of a subagent comes before the end of its call, also when both were aborted', async () => {
    const controller = new AbortController();
    const kid = scriptedAgent([{ text: 'long', delayMs: 10_000 }], { name: 'kid' });
    const { events } = await expectRun(
      [{ toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 't' } }] }],
      { subagents: [kid] },
      {
        signal: controller.signal,
        onEvent: ({ type, path }) => path.length > 0 && type === 'inference-start' && controller.abort(),
      },
    ).toEnd('stopped', 'user-requested');
    const ends = ['execution-end', 'subagent-end', 'tool-end', 'call-settle'];
    expect(order(events).filter((type) => ends.includes(type))).toEqual([
      'execution-end',
      'subagent-end',
      'tool-end',
      'call-settle',
      'execution-end',
    ]);
    expect(only(events, 'subagent-end')).toMatchObject([{ status: 'stopped', path: [] }]);
  });

  it('a step whose first hook throws has a start and no end', async () => {
    const hooks = [hook('throws', 'before-step', () => Promise.reject(new Error('no')))];
    const { state, events } = await expectRun([{ text: 'x' }], { hooks }).toEnd('failed', 'error-forbade', {
      steps: 0,
    });
    expect(order(events)).toEqual([
      'execution-start',
      'step-start',
      'error-record',
      'stop-signal',
      'continuation-evaluate',
      'execution-end',
    ]);
    expect(AgentState.errors(state)).toMatchObject([{ message: 'no' }]);
  });

  it('the start of a step that may not run is taken back', async () => {
    const hooks = [
      hook('stops', 'before-step', (state) => AgentState.withStopSignal(state, stopRequested())),
    ];
    const { state, events } = await expectRun([{ text: 'x' }], { hooks }).toEnd('stopped', 'stop-requested', {
      steps: 0,
    });
    expect(only(events, 'step-start')).toHaveLength(1);
    expect(only(events, 'step-end')).toEqual([]);
    expect(AgentState.currentStep(state)).toBe(null);
  });
});

describe('changes made by hooks', () => {
  it('a response changed by hooks is in the end of the model call, which follows the hooks', async () => {
    const changes = hook('changes', 'after-inference', (_state, { fields, replace }) =>
      replace('response', { ...fields.response!, finishReason: 'other' }),
    );
    const { state, events } = await expectRun([{ text: 'x' }], { hooks: [changes] }).toEnd(
      'completed',
      'completed',
    );
    expect(only(events, 'inference-end')).toMatchObject([{ response: { finishReason: 'other' } }]);
    expect(AgentState.lastStep(state)?.inferenceResponse?.finishReason).toBe('other');
    const [start] = only(events, 'inference-start');
    expect(only(events, 'inference-end')[0]?.inferenceId).toBe(start?.sent.inferenceId);
  });

  it('a response changed by hooks is dropped when one of them throws: the received one is kept, then the error', async () => {
    const hooks = [
      hook('changes', 'after-inference', (_state, { fields, replace }) =>
        replace('response', { ...fields.response!, finishReason: 'other' }),
      ),
      hook('throws', 'after-inference', () => Promise.reject(new Error('no'))),
    ];
    const { state, events } = await expectRun([{ text: 'x', usage: { inputTokens: 4 } }], { hooks }).toEnd(
      'failed',
      'error-forbade',
      { steps: 1, tokens: 4 },
    );
    expect(only(events, 'inference-end')).toMatchObject([{ response: { finishReason: 'stop' } }]);
    expect(order(events).indexOf('inference-end')).toBeLessThan(order(events).indexOf('error-record'));
    expect(AgentState.errors(state)).toMatchObject([{ message: 'no' }]);
  });

  it("a result changed by a hook is an event of its own, and the end of the call keeps the tool's own result", async () => {
    const changes = hook('changes', 'after-tool-use', (_state, { fields, replace }) =>
      replace('execution', { ...fields.execution!, result: 'replaced' }),
    );
    const { state, events, requests } = await expectRun([call, { text: 'x' }], {
      tools: [ok],
      hooks: [changes],
    }).toEnd('completed', 'completed');
    expect(only(events, 'tool-end')).toMatchObject([{ status: 'completed', result: 'own' }]);
    expect(only(events, 'call-change')).toMatchObject([{ source: 'changes', result: 'replaced' }]);
    expect(AgentState.steps(state)[0]?.toolExecutions[0]?.result).toBe('replaced');
    expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([{ output: 'replaced' }]);
  });

  it('arguments changed by a hook are recorded with its name before the call starts', async () => {
    const changes = hook('changes', 'before-tool-use', (_state, { fields, replace }) =>
      replace('toolCall', { ...fields.toolCall!, input: { by: 'hook' } }),
    );
    const echo = fakeTool('ok', (input) => input);
    const { events } = await expectRun([call, { text: 'x' }], { tools: [echo], hooks: [changes] }).toEnd(
      'completed',
      'completed',
    );
    expect(only(events, 'call-change')).toMatchObject([{ source: 'changes', input: { by: 'hook' } }]);
    expect(only(events, 'tool-end')).toMatchObject([{ result: { by: 'hook' } }]);
    expect(order(events).indexOf('call-change')).toBeLessThan(order(events).indexOf('tool-start'));
  });

  it('a state changed by a hook is recorded by its changes, with the name of the hook', async () => {
    const notes = definePlugin({ id: 'notes', state: z.string() });
    const changes = hook('changes', 'before-step', (state) => {
      const said = AgentState.withMessages(state, [...AgentState.messages(state), user('By the way')]);
      const marked = AgentState.withMetadata(said, { a: 1 });
      return PluginState.set(AgentState.withSystemPrompt(marked, 'Q'), notes, 'n');
    });
    const { events } = await expectRun([{ text: 'x' }], { hooks: [changes], plugins: [notes] }).toEnd(
      'completed',
      'completed',
    );
    expect(only(events, 'metadata-change')).toMatchObject([
      { source: 'changes', set: { a: 1 }, removed: [] },
    ]);
    expect(only(events, 'context-change')).toMatchObject([{ source: 'changes', systemPrompt: 'Q' }]);
    expect(only(events, 'plugin-change')).toMatchObject([
      { source: 'changes', pluginId: 'notes', data: 'n' },
    ]);
    expect(only(events, 'section-change')).toMatchObject([
      { source: 'changes', name: 'messages', added: [{ messages: [{ parts: [{ text: 'By the way' }] }] }] },
    ]);
  });
});

describe('the after-tool-use hooks', () => {
  const asked = (name: string, input = {}) => [{ toolCalls: [{ name, input }] }, { text: 'x' }];
  const typed = defineTool({
    name: 'typed',
    description: '',
    input: z.object({ n: z.number() }),
    execute: () => 1,
  });
  const denied = defineTool({
    name: 'denied',
    description: '',
    input: z.any(),
    needsApproval: () => ({ deny: 'no' }),
    execute: () => 1,
  });
  const blocks = hook('blocks', 'before-tool-use', (_state, { block, fields }) => {
    if (fields.toolCall?.name === 'ok') block('no');
  });
  it.each([
    ['is blocked', asked('ok'), 'blocked'],
    ['is rejected', asked('denied'), 'rejected'],
    ['has invalid arguments', asked('typed', { n: 'x' }), 'failed'],
    ['names no tool', asked('nope'), 'failed'],
  ] as const)(
    'after-tool-use hooks do not run for a call that %s, whose only end is its settlement',
    async (_what, script, outcome) => {
      const hooks = [hook('all', 'all'), blocks];
      const { events } = await expectRun(script, { tools: [ok, typed, denied], hooks }).toEnd(
        'completed',
        'completed',
      );
      const told = order(events);
      expect(told).toContain('(before-tool-use)');
      for (const type of ['(after-tool-use)', 'tool-start', 'tool-end']) expect(told).not.toContain(type);
      expect(only(events, 'call-settle')).toMatchObject([{ outcome }]);
    },
  );

  it('after-tool-use hooks run for a call that failed', async () => {
    const bad = fakeTool('bad', () => Promise.reject(new Error('x')));
    const { events } = await expectRun(asked('bad'), { tools: [bad], hooks: [hook('all', 'all')] }).toEnd(
      'completed',
      'completed',
    );
    const told = order(events);
    expect(told.slice(told.indexOf('tool-start'), told.indexOf('call-settle'))).toEqual([
      'tool-start',
      'tool-end',
      '(after-tool-use)',
    ]);
  });
});
