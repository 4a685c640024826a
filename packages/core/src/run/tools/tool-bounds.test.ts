import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent/define-agent.ts';
import { defineHook } from '../../agent/hook.ts';
import { defineTool } from '../../agent/tool.ts';
import * as AgentState from '../agent-state.ts';
import type { AgentState as State, ToolExecution } from '../../graph/types.ts';
import type { JsonValue } from '../../kit/json.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../../agent-loop/create-agent-loop.ts';
import type { AgentEvent } from '../events.ts';

const script = [{ toolCalls: [{ name: 'read', input: {} }] }, { text: 'ok' }];
const reading = (result: unknown, maxResultBytes?: number) =>
  defineTool({
    name: 'read',
    description: '',
    input: z.object({}),
    ...(maxResultBytes === undefined ? {} : { maxResultBytes }),
    execute: () => result,
  });
const callIn = (state: State): ToolExecution => AgentState.steps(state)[0]!.toolExecutions[0]!;
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

describe('the result of a tool', () => {
  const texts: readonly (readonly [string, JsonValue])[] = [
    ['letters', 'x'.repeat(5000)],
    ['characters of four bytes', '😀'.repeat(2000)],
    ['what JSON escapes', '"\\\n\u0001'.repeat(1500)],
    ['an object', { rows: Array.from({ length: 500 }, (_, row) => ({ row, name: 'ümläut' })) }],
  ];
  it.each(texts)(
    'a result of %s is cut to its bytes before it is stored, and says how much',
    async (_what, result) => {
      const { state, events } = await expectRun(script, { tools: [reading(result, 1000)] }).toEnd(
        'completed',
        'completed',
      );
      const cut = callIn(state).result;
      expect(typeof cut).toBe('string');
      expect(bytesOf(cut)).toBeLessThanOrEqual(1000);
      expect(bytesOf(cut)).toBeGreaterThan(700);
      const [, kept, total, left] = /first (\d+) bytes of a result of (\d+); (\d+) bytes are left out/.exec(
        String(cut),
      )!;
      expect(Number(total)).toBe(bytesOf(result));
      expect(Number(kept) + Number(left)).toBe(Number(total));
      expect(JSON.stringify(events).length).toBeLessThan(40_000);
      expect(AgentState.fromJSON(AgentState.toJSON(state))).toEqual(state);
    },
  );

  it('a result is cut at 1 MiB unless its tool or its agent says otherwise', async () => {
    const large = 'x'.repeat(1_100_000);
    const run = async (tool: ReturnType<typeof reading>, init = {}): Promise<number> => {
      const { state } = await expectRun(script, { tools: [tool], ...init }).toEnd('completed', 'completed');
      return String(callIn(state).result).length;
    };
    expect(await run(reading(large))).toBeLessThanOrEqual(1024 * 1024);
    expect(await run(reading(large), { maxResultBytes: Infinity })).toBe(large.length);
    expect(await run(reading(large, Infinity), { maxResultBytes: 500 })).toBe(large.length);
    expect(await run(reading('y'.repeat(600)), { maxResultBytes: 500 })).toBeLessThanOrEqual(500);
    expect(await run(reading('y'.repeat(400)), { maxResultBytes: 500 })).toBe(400);
  });

  it('a result that a hook replaces and an error message are cut as well', async () => {
    const longer = defineHook({
      name: 'longer',
      on: 'after-tool-use',
      run: (_state, ctx) => ctx.replace('execution', { ...ctx.fields.execution!, result: 'z'.repeat(9000) }),
    });
    const replaced = await expectRun(script, { tools: [reading('a', 700)], hooks: [longer] }).toEnd(
      'completed',
      'completed',
    );
    expect(bytesOf(callIn(replaced.state).result)).toBeLessThanOrEqual(700);
    const failing = defineTool({
      name: 'read',
      description: '',
      input: z.object({}),
      maxResultBytes: 700,
      execute: () => Promise.reject(new Error('e'.repeat(9000))),
    });
    const failed = await expectRun(script, { tools: [failing] }).toEnd('completed', 'completed');
    expect(callIn(failed.state).error?.message.length).toBeLessThanOrEqual(700);
  });
});

describe('the error of an invalid call', () => {
  const schema = z.object({ list: z.array(z.number()) });
  const wrong = { list: Array<string>(5000).fill('x') };
  const taking = defineTool({ name: 'read', description: '', input: schema, execute: () => 1 });
  const giving = defineTool({
    name: 'read',
    description: '',
    input: z.any(),
    output: schema,
    execute: () => wrong as never,
  });

  it.each<[string, typeof taking | typeof giving, JsonValue]>([
    ['arguments', taking, wrong],
    ['results', giving, {}],
  ])('the error of invalid %s keeps the first 20 of 5,000 issues', async (_what, tool, input) => {
    const { state } = await expectRun([{ toolCalls: [{ name: 'read', input }] }, { text: 'ok' }], {
      tools: [tool],
    }).toEnd('completed', 'completed');
    const { error } = callIn(state);
    expect(error?.data['issues']).toHaveLength(20);
    expect(error?.message).toContain('and 4980 more');
    expect(bytesOf(error)).toBeLessThan(10_000);
  });

  it('the error of an invalid call cuts the paths and messages of its issues', async () => {
    const issue = { message: 'm'.repeat(50_000), path: ['p'.repeat(50_000)] };
    const schema = {
      '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [issue] }) },
    } as const;
    const tool = defineTool({
      name: 'read',
      description: '',
      input: schema as never,
      inputSchema: {},
      execute: () => 1,
    });
    const { state } = await expectRun(script, { tools: [tool] }).toEnd('completed', 'completed');
    expect(bytesOf(callIn(state).error)).toBeLessThan(5000);
  });
});

describe('the calls of one answer', () => {
  const calls = (count: number) => [
    { toolCalls: Array.from({ length: count }, () => ({ name: 'read', input: {} })) },
    { text: 'ok' },
  ];

  it('calls beyond maxToolCalls get an error as their result, and the run goes on', async () => {
    let ran = 0;
    const tool = defineTool({ name: 'read', description: '', input: z.object({}), execute: () => ++ran });
    const { state, requests } = await expectRun(calls(105), { tools: [tool] }).toEnd(
      'completed',
      'completed',
      {
        steps: 2,
      },
    );
    expect(ran).toBe(100);
    const { toolExecutions } = AgentState.steps(state)[0]!;
    expect(toolExecutions.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 100 }, () => 'completed'),
      ...Array.from({ length: 5 }, () => 'failed'),
    ]);
    expect(toolExecutions[100]?.error).toMatchObject({ code: 'tool-calls-exceeded' });
    const told = requests[1]!.messages
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type === 'tool-result');
    expect(told).toHaveLength(105);
    expect(told.at(-1)).toMatchObject({
      output: expect.stringContaining('one answer may make 100 tool calls'),
    });
    expect(AgentState.fromJSON(AgentState.toJSON(state))).toEqual(state);
  });

  it('a call that is not run has no event of its own', async () => {
    const eventsFor = async (count: number): Promise<number> => {
      const events: AgentEvent[] = [];
      const agent = scriptedAgent(calls(count), { tools: [reading(1)], maxToolCalls: 3 });
      await createAgentLoop(agent, { onEvent: (event) => events.push(event) }).execute(ask());
      return events.filter(({ type }) => type !== 'tool-call').length;
    };
    expect(await eventsFor(3000)).toBe(await eventsFor(4));
  });
});

describe('the bounds of an agent', () => {
  it.each([
    ['maxToolCalls', 0],
    ['maxToolCalls', 1.5],
    ['maxToolCalls', Number.NaN],
    ['maxResultBytes', 0],
    ['maxResultBytes', -5],
    ['maxResultBytes', Number.NaN],
    ['sessionBudget', { tokens: -1 }],
    ['sessionBudget', { cost: Number.NaN }],
    ['sessionBudget', { tokens: undefined }],
    ['sessionBudget', { steps: 5 }],
    ['subagentPolicy', { maxTotalSteps: -1 }],
    ['subagentPolicy', { maxTotalSteps: 2.5 }],
    ['subagentPolicy', { maxTotalSteps: '5' }],
  ])('%s of %j is rejected when the agent is defined', (key, value) => {
    expect(() => defineAgent({ [key]: value })).toThrow(
      expect.objectContaining({ code: 'agent-invalid', message: expect.stringContaining(key) }) as Error,
    );
  });

  it('an invalid maxResultBytes of a tool is rejected when the tool is defined', () => {
    expect(() => reading('', 0)).toThrow('maxResultBytes');
    expect(() => reading('', Number.NaN)).toThrow('maxResultBytes');
  });
});
