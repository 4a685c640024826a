import { AgentState, defineHook, defineTool, Message, Tool, type ToolExecution } from '@vitrine/core';
// oxlint-disable-next-line vitrine/direction -- a case of the inside, which has no public name
import { toolResultText } from '../../packages/core/src/graph/tool-execution.ts';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { countFunctionCalls } from './count-function-calls.ts';
import { call, calls, expectRun, fakeTool, final, type ScriptedStep } from './fixtures.ts';

const tool = (name: string, execute: NonNullable<Tool['execute']>): Tool =>
  defineTool({ name, description: '', input: z.any(), execute });

/** Runs one step with calls, then an answer; gives the executions and what the model was shown of them. */
async function outcome(step: ScriptedStep, init: Parameters<typeof expectRun>[1] = {}) {
  const run = await expectRun([step, final()], init).toEnd('completed', 'completed', { steps: 2 });
  const executions = AgentState.steps(run.state)[0]?.toolExecutions ?? [];
  const shown = (run.requests[1]?.messages ?? []).flatMap(({ role, parts }) =>
    role === 'tool' ? parts.flatMap((part) => (part.type === 'tool-result' ? [part] : [])) : [],
  );
  return { ...run, executions, shown };
}

describe('a call', () => {
  it('115 a call of an unknown tool fails, and the model sees the error under the id of its call', async () => {
    const { executions, shown } = await outcome({ toolCalls: [{ name: 'nope', input: {}, id: 'c7' }] });
    expect(executions).toMatchObject([{ status: 'failed', error: { code: 'tool-not-found' } }]);
    expect(executions[0]?.error?.message).toMatch(/"nope" not found/);
    expect(shown).toMatchObject([
      {
        toolCallId: 'c7',
        outcome: 'failed',
        output: expect.stringMatching(/^Error in tool call: .*not found/),
      },
    ]);
  });

  it.each([
    ['116 without a required parameter', { a: 1 }, /Missing required parameters: b/],
    ['117 with an argument of another type', { b: 'x' }, /b: .*number/],
  ])('%s fails with its name, and the tool is not called', async (_title, input, message) => {
    const execute = vi.fn(() => 1);
    const typed = defineTool({ name: 'typed', description: '', input: z.object({ b: z.number() }), execute });
    const { executions } = await outcome(call('typed', input), { tools: [typed] });
    expect(executions).toMatchObject([{ status: 'failed', error: { code: 'tool-input-invalid' } }]);
    expect(executions[0]?.error?.message).toMatch(message);
    expect(execute).not.toHaveBeenCalled();
  });

  it('118 a call has its result in the order of the calls, serial or parallel', async () => {
    const waits = tool('waits', async ({ ms }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return ms;
    });
    const toolCalls = [40, 0, 1].map((ms) => ({ name: 'waits', input: { ms } }));
    for (const toolConcurrency of [1, 4]) {
      const { executions, shown, events } = await outcome({ toolCalls }, { tools: [waits], toolConcurrency });
      expect(executions.map(({ result }) => result)).toEqual([40, 0, 1]);
      expect(shown.map(({ output }) => output)).toEqual([40, 0, 1]);
      const ends = events.flatMap((event) => (event.type === 'tool-end' ? [event.result] : []));
      expect(ends).toEqual(toolConcurrency === 1 ? [40, 0, 1] : [0, 1, 40]);
    }
  });

  it('123 a call has its result as text: strings as they are, otherwise as JSON, and failures by their prefix', async () => {
    const values = ['str', { a: 1 }, [1, 'b'], null, true, 42];
    expect(values.map(toolResultText)).toEqual(['str', '{"a":1}', '[1,"b"]', 'null', 'true', '42']);
    const { shown } = await outcome(calls('bad'));
    expect(shown.map(({ output }) => toolResultText(output))).toEqual(['Error in tool call: bad']);
  });

  it('127 a call is cheap: 500 of them, one after the other, take about twice the work of 250', async () => {
    const noop = fakeTool('noop', null);
    const counter = await countFunctionCalls();
    const made = async (count: number) => {
      let executions: readonly ToolExecution[] = [];
      const work = await counter.of(async () => {
        const many = Array.from({ length: count }, () => 'noop');
        const init = { tools: [noop], toolConcurrency: 1, maxToolCalls: count };
        ({ executions } = await outcome(calls(...many), init));
      });
      return { executions, work };
    };
    const [half, { executions, work }] = [await made(250), await made(500)];
    counter.close();
    expect(half.work).toBeGreaterThan(10_000);
    expect(work).toBeLessThan(2.2 * half.work);
    expect(executions).toHaveLength(500);
    expect(new Set(executions.map(({ id }) => id)).size).toBe(500);
    expect(executions.every(({ status }) => status === 'completed')).toBe(true);
  });

  it('128 a call sees the state of its own step, written by hooks of earlier calls, and its tool stays unchanged', async () => {
    const seen: unknown[] = [];
    const look = tool('look', (_input, ctx) => {
      const { context } = ctx.state;
      seen.push([context.metadata['n'], AgentState.currentStep(ctx.state)?.toolExecutions.length]);
    });
    const before = { ...look };
    const count = defineHook({
      name: 'n',
      on: 'before-tool-use',
      run: (state) =>
        AgentState.withMetadata(state, { n: ((state.context.metadata['n'] as number | undefined) ?? 0) + 1 }),
    });
    const init = { tools: [Object.freeze(look)], hooks: [count], toolConcurrency: 1 };
    await outcome(calls('look', 'look'), init);
    expect(seen).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expect(look).toEqual(before);
  });
});

describe('a fake tool', () => {
  it('124 a fake tool gives its value for any arguments, and fails with its name when its handler throws', async () => {
    const broken = fakeTool('broken', () => Promise.reject(new Error('no')));
    const toolCalls = [1, 'text', null, { any: [] }].map((input) => ({ name: 'fake', input }));
    const step = { toolCalls: [...toolCalls, { name: 'broken', input: {} }] };
    const { executions } = await outcome(step, { tools: [fakeTool('fake', { a: 1 }), broken] });
    expect(executions.slice(0, 4).map(({ result }) => result)).toEqual([1, 2, 3, 4].map(() => ({ a: 1 })));
    expect(executions[4]).toMatchObject({ status: 'failed' });
    expect(executions[4]?.error?.message).toMatch(/broken.*no/);
  });
});

describe('a list of tools', () => {
  it('125 replaces in place, looks up with an error, removes in order, and merges to the right', () => {
    const [a, b, c, a2, b2] = ['a', 'b', 'c', 'a', 'b'].map((name) => fakeTool(name, name)) as [
      Tool,
      Tool,
      Tool,
      Tool,
      Tool,
    ];
    expect(Tool.withTool([a, b], a2)).toEqual([a2, b]);
    expect(Tool.withTool([a, b], a2)[0]).toBe(a2);
    expect(Tool.withTool([a, b], c)).toEqual([a, b, c]);
    expect(Tool.get([a, b], 'b')).toBe(b);
    expect(() => Tool.get([a], 'x')).toThrow(expect.objectContaining({ code: 'tool-not-found' }));
    expect(Tool.withoutTool([a, b, c], 'b')).toEqual([a, c]);
    const merged = Tool.merge([a, b], [c, b2]);
    expect(merged.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(merged[1]).toBe(b2);
  });
});

describe('the message of a call', () => {
  it('115 the message of a call is a tool message after the one that asked for it', async () => {
    const { state } = await outcome(call('nope'));
    expect(AgentState.messages(state).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(AgentState.messages(state).map(Message.isTrace)).toEqual([false, true, true, false]);
  });
});
