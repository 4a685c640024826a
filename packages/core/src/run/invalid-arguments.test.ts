import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, type Tool } from '../agent/tool.ts';
import type { JsonValue } from '../kit/json.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import * as AgentState from './agent-state.ts';

const input = z.object({
  queries: z.array(z.string()),
  limit: z.number().optional(),
  filter: z.object({ years: z.array(z.number()) }).optional(),
  note: z.string().optional(),
});

function searching(got: unknown[]): Tool {
  return defineTool({
    name: 'search',
    description: 'Searches',
    input,
    execute: (given) => {
      got.push(given);
      return 'found';
    },
  }) as unknown as Tool;
}

const search = (given: JsonValue, more: Partial<ScriptedStep> = {}): ScriptedStep => ({
  toolCalls: [{ name: 'search', input: given }],
  ...more,
});
const queries = ['a'];

describe('arguments that a model has encoded twice', () => {
  it.each<[JsonValue, JsonValue]>([
    [{ queries: '["a"]' }, { queries }],
    ['{"queries":["a"]}', { queries }],
    ['{"queries":"[\\"a\\"]",}', { queries }],
    [
      { queries, limit: '5' },
      { queries, limit: 5 },
    ],
    [{ queries, limit: null }, { queries }],
    [
      { queries, filter: '{"years":"[2020]"}' },
      { queries, filter: { years: [2020] } },
    ],
    [
      { queries, filter: { years: ['2020', 2021] } },
      { queries, filter: { years: [2020, 2021] } },
    ],
  ])('the arguments %j reach the tool as %j', async (given, wanted) => {
    const got: unknown[] = [];
    await expectRun([search(given), { text: 'Done.' }], { tools: [searching(got)] }).toEnd(
      'completed',
      'completed',
    );
    expect(got).toEqual([wanted]);
  });

  it('a text that the schema takes stays a text, also when it is JSON', async () => {
    const got: unknown[] = [];
    const given = { queries: ['["a"]'], note: '{"a":1}' };
    await expectRun([search(given), { text: 'Done.' }], { tools: [searching(got)] }).toEnd(
      'completed',
      'completed',
    );
    expect(got).toEqual([given]);
  });
});

it.each<[JsonValue, RegExp]>([
  ['{"queries":["a"', /are no JSON: they break off after 15 characters/],
  ['{"queries" ["a"]}', /the error is at character 12 of 17, behind "\{\\"queries\\" "/],
  [{ queries: 'a' }, /queries: Invalid input: expected array/],
])('the arguments %j are told to the model with the place', async (given, sentence) => {
  const got: unknown[] = [];
  const { requests } = await expectRun([search(given), { text: 'Done.' }], { tools: [searching(got)] }).toEnd(
    'completed',
    'completed',
  );
  expect(got).toEqual([]);
  expect(requests[1]?.messages.at(-1)?.parts).toMatchObject([{ output: expect.stringMatching(sentence) }]);
});

describe('a model that repeats a call with the same invalid arguments', () => {
  const wrong = search({ queries: 3 });

  it('the third call in a row ends the run with a sentence', async () => {
    const { state } = await expectRun([wrong, wrong, wrong, { text: 'Done.' }], {
      tools: [searching([])],
    }).toEnd('stopped', 'retry-limit-reached', { modelCalls: 3 });
    expect(AgentState.stopSignal(state)?.message).toBe(
      'The model called "search" 3 times with the same invalid arguments.',
    );
    expect(AgentState.steps(state).at(-1)?.toolExecutions).toMatchObject([{ status: 'failed' }]);
  });

  it('a call with other arguments in between begins anew', async () => {
    const other = search({ queries: 4 });
    await expectRun([wrong, wrong, other, wrong, wrong, { text: 'Done.' }], {
      tools: [searching([])],
    }).toEnd('completed', 'completed', { modelCalls: 6 });
  });

  it('the same arguments for another tool in between begin anew', async () => {
    const find = { toolCalls: [{ name: 'find', input: { queries: 3 } }] };
    const tools = [searching([]), { ...searching([]), name: 'find' }];
    await expectRun([wrong, find, wrong, find, { text: 'Done.' }], { tools }).toEnd('completed', 'completed');
  });
});

describe('a call at the output limit', () => {
  it('the last call of a cut answer is not run, although its arguments are whole', async () => {
    const got: unknown[] = [];
    const both: ScriptedStep = {
      toolCalls: [
        { name: 'search', input: { queries: ['whole'] } },
        { name: 'search', input: { queries: ['cut'] } },
      ],
      finishReason: 'length',
    };
    const { state } = await expectRun([both, { text: 'Done.' }], { tools: [searching(got)] }).toEnd(
      'completed',
      'completed',
    );
    expect(got).toEqual([{ queries: ['whole'] }]);
    expect(AgentState.steps(state)[0]?.toolExecutions).toMatchObject([
      { status: 'completed' },
      { status: 'failed', error: { code: 'output-truncated' } },
    ]);
  });
});
