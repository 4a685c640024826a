import {
  type InferenceEvent,
  type InferenceRequest,
  type JsonObject,
  type JsonValue,
  Message,
  type MessagePart,
} from '@vitrine/core';
import { offlineModel } from '@vitrine/proxy/offline';
import { describe, expect, it } from 'vitest';
import { demoReplies } from './replies.ts';

type Tool = InferenceRequest['tools'][number];

const tool = (name: string, properties: JsonObject = {}): Tool => ({
  name,
  description: '',
  inputSchema: { type: 'object', properties },
});
const text = { type: 'string' };
const delegate = (...names: string[]): Tool =>
  tool('delegate', { agent: { ...text, enum: names }, task: text });
const tables = [
  tool('read_table', { file: text }),
  tool('draw_chart', { file: text, kind: text, label: text, value: text, combine: text, title: text }),
];

function result(
  toolName: string,
  output: JsonValue,
  outcome: 'completed' | 'rejected' = 'completed',
): Message[] {
  return [Message.assistant('Let me'), Message.tool({ toolCallId: 'x', toolName, output, outcome })];
}

const request = (tools: readonly Tool[], ...messages: (string | readonly Message[])[]): InferenceRequest => ({
  model: null,
  messages: messages.flatMap((one) => (typeof one === 'string' ? [Message.user(one)] : one)),
  tools: [...tools],
  toolChoice: 'auto',
  responseFormat: null,
  settings: {},
});

type Call = Extract<InferenceEvent, { readonly type: 'tool-call' }>;

/** The text and the calls of the offline model with the replies of the demo. */
async function decide(asked: InferenceRequest): Promise<{ text: string; toolCalls: readonly Call[] }> {
  const { client } = offlineModel({ paceMs: 0, replies: demoReplies() });
  const { signal } = new AbortController();
  const toolCalls: Call[] = [];
  let text = '';
  for await (const event of client.stream(asked, { signal, inferenceId: 'x' })) {
    if (event.type === 'text-delta') text += event.delta;
    if (event.type === 'tool-call') toolCalls.push(event);
  }
  return { text, toolCalls };
}

const calls = async (...given: Parameters<typeof request>): Promise<unknown[]> =>
  (await decide(request(...given))).toolCalls.map(({ toolName, input }) => [toolName, input]);
const sales: JsonValue = {
  file: 'sales.csv',
  rows: 12,
  columns: [
    { name: 'month', type: 'date' },
    { name: 'region', type: 'text' },
    { name: 'orders', type: 'number' },
    { name: 'revenue', type: 'number' },
  ],
};

describe('with tables', () => {
  const attached = 'Draw it [The file "my sales.csv" is attached.]';

  it('the model reads the file that was attached or mentioned before', async () => {
    expect(await calls(tables, attached)).toEqual([['read_table', { file: 'my sales.csv' }]]);
    expect(await calls(tables, attached, [Message.assistant('Here')], 'Now the revenue by region')).toEqual([
      ['read_table', { file: 'my sales.csv' }],
    ]);
    expect(await calls(tables, attached, [Message.assistant('Here')], 'Thank you')).toEqual([]);
    expect(await calls([], attached)).toEqual([]);
  });

  it.each([
    ['the orders per region', { kind: 'bar', label: 'region', value: 'orders', combine: 'sum' }],
    ['the average revenue by region', { kind: 'bar', label: 'region', value: 'revenue', combine: 'average' }],
    ['revenue by month', { kind: 'line', label: 'month', value: 'revenue', combine: 'sum' }],
    ['how many by region', { kind: 'bar', label: 'region', value: 'orders', combine: 'count' }],
    ['a chart', { kind: 'line', label: 'month', value: 'orders', combine: 'sum' }],
  ])('the model draws the columns that are named: %s', async (asked, input) => {
    const [[name, drawn] = []] = (await calls(tables, asked, result('read_table', sales))) as [
      string,
      unknown,
    ][];
    expect(name).toBe('draw_chart');
    expect(drawn).toMatchObject({ ...input, file: 'sales.csv' });
  });

  it('the model reads a question and a result as they were before plugins told something behind them', async () => {
    const told = '<context name="Notes">\n- buy milk\n</context>';
    const asked = request(tables, 'the orders per region', result('read_table', sales));
    const [, , behind] = asked.messages as [Message, Message, Message];
    const part = behind.parts[0] as MessagePart & { type: 'tool-result' };
    const output = `${JSON.stringify(part.output)}\n\n${told}`;
    const question = Message.user([
      { type: 'text', text: 'the orders per region' },
      { type: 'text', text: told },
    ]);
    const messages = [question, asked.messages[1]!, { ...behind, parts: [{ ...part, output }] }];
    const reply = await decide({ ...asked, messages });
    expect(reply).toEqual(await decide(asked));
    expect(reply.toolCalls).toHaveLength(1);
  });

  it('the model describes a table when no chart is asked for, and the extremes of a drawn one', async () => {
    expect((await decide(request(tables, 'Look at it', result('read_table', sales)))).text).toMatch(
      /12 rows with \*\*month\*\* \(date\)/,
    );
    const points = [
      { label: 'a', value: 1 },
      { label: 'b', value: 3000 },
    ];
    const drawn = await decide(request(tables, 'Draw', result('draw_chart', { points })));
    expect(drawn.toolCalls).toEqual([]);
    expect(drawn.text).toMatch(/\*\*b\*\* \(3,000\) is the highest and \*\*a\*\* \(1\) the lowest/);
  });
});

describe('with others to ask', () => {
  it('the model asks all of them at once, each the same question', async () => {
    expect(await calls([delegate('a', 'b')], 'Please research tea?')).toEqual([
      ['delegate', { agent: 'a', task: 'tea?' }],
      ['delegate', { agent: 'b', task: 'tea?' }],
    ]);
    expect(await calls([delegate('a', 'b')], 'What is tea?')).toHaveLength(2);
    expect(await calls([delegate('a')], 'What is tea?')).toEqual([]);
  });

  it('the model saves their findings with a tool for texts, each line once, and reports a refusal', async () => {
    const save = tool('keep', { title: text, text, audience: { ...text, enum: ['me', 'all'] } });
    const part = (output: string): Message => result('delegate', output)[1] as Message;
    const found = [Message.assistant('Let me'), part('one\ntwo'), part('two\nthree')];
    expect(await calls([delegate('a', 'b'), save], 'Research how tea works.', found)).toEqual([
      ['keep', { title: 'How tea works', text: 'one\ntwo\nthree', audience: 'me' }],
    ]);
    const refused = [...found, ...result('keep', 'No', 'rejected')];
    const after = await decide(request([delegate('a', 'b'), save], 'Research tea', refused));
    expect(after).toMatchObject({ toolCalls: [], text: 'You did not want `keep` to run, so it did not.' });
  });
});

it('the model searches for the significant words with any tool that takes a query', async () => {
  expect(await calls([tool('library', { query: text })], 'How do the budgets of agents work?')).toEqual([
    ['library', { query: 'budgets agents work' }],
  ]);
});

it('a request to go on repeats what was asked before', async () => {
  const calculator = tool('calculator', { expression: text });
  expect(await calls([calculator], 'What is 3 + 4?', [Message.assistant('Let me')], 'Go on')).toEqual([
    ['calculator', { expression: '3 + 4' }],
  ]);
});

it('the calls of one turn have unique ids over all its steps', async () => {
  const ids = [
    ...(await decide(request([delegate('a', 'b')], 'research x'))).toolCalls,
    ...(await decide(request(tables, 'chart', result('read_table', sales)))).toolCalls,
  ].map(({ toolCallId }) => toolCallId);
  expect(new Set(ids).size).toBe(ids.length - 1);
  expect(ids).toEqual(['offline_1_1', 'offline_1_2', 'offline_1_2']);
});

it('the model describes its abilities with the available tools, and with no others', async () => {
  const said = async (tools: readonly Tool[]): Promise<string> =>
    (await decide(request(tools, 'Hello'))).text;
  expect(await said([])).not.toMatch(/calculate|table|research/);
  expect(await said([tool('calculator')])).toMatch(/calculate/);
  expect(await said(tables)).toMatch(/read a table/);
  expect(await said([delegate('a')])).toMatch(/research/);
});

it('the model answers in Markdown or at length, and a tool of another agent is called by its name', async () => {
  const said = async (asked: string): Promise<string> => (await decide(request([], asked))).text;
  expect(await said('Show me some markdown')).toMatch(
    /follows simple rules[\s\S]*## What Markdown looks like/,
  );
  expect((await said('Write a long answer')).match(/## Part \d/g)).toHaveLength(6);
  const save = tool('save_report', { title: text });
  expect(await calls([delegate('a', 'b'), save], 'Save the report, please')).toEqual([
    ['save_report', { title: 'Save the report, please' }],
  ]);
});

it('the model offers follow-ups that its tools allow, only where the prompt asks for them', async () => {
  const asking = Message.system('End with <next>first|second</next>');
  const ask = async (...messages: (string | readonly Message[])[]): Promise<string> =>
    (await decide(request([tool('current_time')], ...messages))).text;
  expect(await ask('Hello')).not.toContain('<next>');
  expect(await ask([asking], 'Hello')).toMatch(/\n\n<next>What time is it\?\|Show me some markdown<\/next>$/);
  expect(await ask([asking], 'Show me some markdown')).toMatch(/<next>What time is it\?<\/next>$/);
});
