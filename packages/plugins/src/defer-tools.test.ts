import { AgentState, defineAgent, defineTool, type InferenceRequest, runAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { deferTools } from './defer-tools.ts';
import { play } from './sessions.fixture.ts';

const numRuns = Math.ceil(Number(process.env['PROVE_RUNS'] ?? 60) / 6);
const nouns = [
  'invoice',
  'customer',
  'parcel',
  'ticket',
  'contract',
  'vehicle',
  'meeting',
  'report',
  'refund',
  'order',
];
const verbs = ['create', 'delete', 'find', 'update', 'list', 'send', 'archive', 'count', 'merge', 'export'];
const many = ['', 'Draft'].flatMap((kind) =>
  verbs.flatMap((verb) =>
    nouns.map((noun) =>
      defineTool({
        name: `${verb}_${noun}${kind}`,
        description: `Can ${verb} one ${kind.toLowerCase()} ${noun} of the shop. It takes its number, and tells what was done.`,
        input: z.object({ number: z.number().describe('The number of it in the books of the shop') }),
        execute: ({ number }) => `${verb} ${noun} ${number}`,
      }),
    ),
  ),
);
const base = defineTool({ name: 'look', description: 'Looks', input: z.object({}), execute: () => 'seen' });
const search = (query: string) => ({ name: 'search_tools', input: { query } });
const names = ({ tools }: InferenceRequest): readonly string[] => tools.map(({ name }) => name);

describe('tools that are deferred', () => {
  it('200 tools make a request at most 1.1 times as long as one without them', async () => {
    const sizes: number[] = [];
    for (const plugins of [[], [deferTools(many)]]) {
      const inference = scriptedInference([
        (request) => (sizes.push(JSON.stringify(request).length), { text: 'Done.' }),
      ]);
      const systemPrompt = 'You keep the books of a shop and answer with numbers. '.repeat(110);
      await runAgent(defineAgent({ systemPrompt, tools: [base], plugins, inference }), 'What is open?');
    }
    expect(many).toHaveLength(200);
    expect(sizes[1]! / sizes[0]!).toBeLessThan(1.1);
  });

  it('found tools stand behind all others, in the same order for the same searches, also when a page is closed between', async () => {
    const queries = fc.array(fc.constantFrom(...nouns, ...verbs, 'invoices', 'no such thing'), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(queries, fc.nat(), async (asked, at) => {
        const scene = {
          init: () => ({ tools: [base], plugins: [deferTools(many)] }),
          script: (step: number) =>
            asked[step] === undefined ? { text: 'Done.' } : { toolCalls: [search(asked[step])] },
          questions: ['Do it.'],
        };
        const whole = await play(scene);
        const cut = await play(scene, 1 + (at % whole.events));
        expect(names(cut.requests.at(-1)!)).toEqual(names(whole.requests.at(-1)!));
        for (const [index, request] of whole.requests.entries()) {
          const before = whole.requests[index - 1];
          if (before !== undefined)
            expect(names(request).slice(0, before.tools.length)).toEqual(names(before));
        }
        expect(names(whole.requests[0]!)).toEqual(['look', 'search_tools']);
      }),
      { numRuns },
    );
  });

  it('a call of a tool that was not found says how to find it, and works when it was', async () => {
    const call = { name: 'create_invoice', input: { number: 7 } };
    const inference = scriptedInference([
      { toolCalls: [call] },
      { toolCalls: [{ name: 'search_tools', input: { action: 'help', tool: 'create_invoice' } }] },
      { toolCalls: [call] },
      { text: 'Done.' },
    ]);
    const { state } = await runAgent(defineAgent({ plugins: [deferTools(many)], inference }), 'Do it.');
    const ends = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
    expect(ends[0]?.status).toBe('blocked');
    expect(ends[0]?.error?.message).toContain(
      'search_tools with { "action": "help", "tool": "create_invoice" }',
    );
    expect(ends[2]?.result).toBe('create invoice 7');
  });

  it('a search of the application is asked, and names that it makes up are left out', async () => {
    const plugin = deferTools(many, { search: async (query) => ['made_up', query, 'send_report'] });
    const inference = scriptedInference([{ toolCalls: [search('find_order')] }, { text: 'Done.' }]);
    const { state } = await runAgent(defineAgent({ plugins: [plugin], inference }), 'Do it.');
    expect(AgentState.lastToolExecution(state)?.result).toMatchObject({
      tools: [{ name: 'find_order' }, { name: 'send_report' }],
    });
  });
});
