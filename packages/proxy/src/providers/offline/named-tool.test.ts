import { type InferenceRequest, type JsonObject, Message } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ownReply } from './own-reply.ts';

type Tool = InferenceRequest['tools'][number];

const tool = (name: string, description: string, input: z.ZodType): Tool => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: 'input' }) as JsonObject,
});
const callsFor = (said: string, ...tools: readonly Tool[]): unknown[] =>
  (
    ownReply({
      model: null,
      messages: [Message.user(said)],
      tools,
      toolChoice: 'auto',
      responseFormat: null,
      settings: {},
    }).toolCalls ?? []
  ).map(({ name, input }) => [name, input]);

const refund = tool(
  'refund',
  'Gives money back for an order',
  z.object({ order: z.string(), amount: z.number() }),
);
const clock = tool(
  'clock',
  'Tells the time in a zone',
  z.object({ zone: z.string().describe('e.g. Europe/Rome') }),
);

describe('a tool without a rule of its own', () => {
  it('a word of its name or of its description calls it, with numbers and words of the message', () => {
    expect(callsFor('I want a refund of 40 for order A-1', refund, clock)).toEqual([
      ['refund', { order: 'A-1', amount: 40 }],
    ]);
    expect(callsFor('Give me the money for two orders', refund, clock)).toEqual([
      ['refund', { order: expect.any(String), amount: 1 }],
    ]);
    expect(callsFor('What time is it?', refund, clock)).toEqual([['clock', { zone: 'Europe/Rome' }]]);
  });

  it('a message without such a word calls nothing', () => {
    expect(callsFor('Hello there', refund, clock)).toEqual([]);
  });

  it('the tool that shares most words is called', () => {
    const cancel = tool('cancel_order', 'Cancels an order', z.object({ order: z.string() }));
    expect(callsFor('Please cancel order B-2', refund, cancel)).toEqual([['cancel_order', { order: 'B-2' }]]);
  });
});

it.each<[string, z.ZodType]>([
  ['a choice', z.object({ unit: z.enum(['celsius', 'fahrenheit']) })],
  ['a default', z.object({ count: z.number().default(3) })],
  ['an object in an object', z.object({ place: z.object({ city: z.string(), zip: z.string().min(5) }) })],
  ['a list of objects', z.object({ rows: z.array(z.object({ id: z.int().positive() })).min(2) })],
  ['a union', z.object({ id: z.union([z.number(), z.string()]) })],
  ['a value or null', z.object({ note: z.string().nullable() })],
  ['a literal', z.object({ kind: z.literal('book'), open: z.boolean() })],
  ['formats', z.object({ on: z.iso.date(), mail: z.email(), link: z.url(), id: z.uuid() })],
  [
    'bounds',
    z.object({ stars: z.int().min(1).max(5), share: z.number().gt(0).lt(2), odd: z.int().multipleOf(7) }),
  ],
  ['a record', z.object({ tags: z.record(z.string(), z.string()) })],
  ['optional arguments alone', z.object({ city: z.string().optional() })],
  ['a short text', z.object({ code: z.string().max(3) })],
  ['no arguments', z.object({})],
])('arguments for %s are what the schema accepts', (_what, input) => {
  const [[, given] = []] = callsFor('Use the gadget for 2020 things', tool('gadget', '', input)) as [
    unknown[],
  ];
  expect(input.safeParse(given)).toMatchObject({ success: true });
});
