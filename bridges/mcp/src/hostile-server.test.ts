import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import {
  type AgentError,
  AgentState,
  createAgentLoop,
  type InferenceRequest,
  type Message,
} from '@vitrine/core';
import { ask as question, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { ownNames } from '@vitrine/core/internal/features/foreign-tools';
import { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
import { serveResults } from '../../../tests/serve-mcp.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const tool = (name: unknown, more: object = {}): object => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
  ...more,
});

/** Runs a call of `tool` on a server with these tools, whose calls have this result. */
async function runOn(
  tools: unknown,
  result: unknown,
  options: McpToolsOptions & { readonly maxResultBytes?: number } = {},
) {
  const server = await serveResults((method) => (method === 'tools/list' ? { tools } : result));
  closing.push(server.close);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  closing.push(() => client.close());
  const sentences: string[] = [];
  const offered: string[] = [];
  const onError = ({ message }: AgentError): void => void sentences.push(message);
  const { maxResultBytes, ...own } = options;
  const agent = scriptedAgent(
    [
      (request) => {
        offered.push(...request.tools.map(({ name }) => name));
        return { toolCalls: [{ name: 'tool', input: {} }] };
      },
      { text: 'done' },
    ],
    { plugins: [mcpTools(client, { onError, ...own })], ...(maxResultBytes ? { maxResultBytes } : {}) },
  );
  const state = await createAgentLoop(agent).execute(question());
  expect(AgentState.status(state)).toBe('completed');
  return { call: AgentState.steps(state)[0]?.toolExecutions[0], sentences, offered, state };
}

it('tools that cannot be used are left out, each with a sentence', async () => {
  const { sentences, offered } = await runOn(
    [
      tool('tool'),
      tool('tool'),
      tool(' '),
      tool('list', {
        inputSchema: { type: 'object', properties: { a: { enum: Array(4_000).fill('x'.repeat(50)) } } },
      }),
      tool('a.b/c d'),
      tool('a_b_c_d'),
      tool('ü'.repeat(200)),
    ],
    { content: [] },
  );
  expect(offered).toEqual([
    'tool',
    expect.stringMatching(/^a_b_c_d_[a-z0-9]{8}$/),
    'a_b_c_d',
    expect.any(String),
  ]);
  expect(sentences).toEqual([
    'The tool "tool" of the MCP server is left out: another one has its name.',
    'The tool " " of the MCP server is left out: it has no name.',
    expect.stringMatching(
      /^The tool "list" of the MCP server is left out: its input schema has \d+ characters\.$/,
    ),
  ]);
});

it('a list that is none gives one sentence, and the run goes on without tools', async () => {
  for (const tools of [7, [{ name: 7 }], [{ name: 'tool', inputSchema: 'none' }]]) {
    const { sentences, offered, call } = await runOn(tools, { content: [] });
    expect(offered).toEqual([]);
    expect(sentences).toEqual([expect.stringMatching(/^The tools of the MCP server cannot be listed: /)]);
    expect(call?.error?.code).toBe('tool-not-found');
  }
});

it('only the first 128 tools are offered, and the number of all is told', async () => {
  const { sentences, offered } = await runOn(
    Array.from({ length: 500 }, (_, at) => tool(`tool${at}`)),
    { content: [] },
  );
  expect(offered).toHaveLength(128);
  expect(sentences).toEqual(['Only the first 128 of the 500 tools of the MCP server are offered.']);
});

it('a result of unknown content, and one that is none, fail the call with a sentence', async () => {
  for (const result of [{ content: [{ type: 'hologram', data: 1 }] }, { content: 'text' }, [], 'x']) {
    const { call } = await runOn([tool('tool')], result);
    expect(call?.status).toBe('failed');
    expect(call?.error?.message).toMatch(/^The tool "tool" of the MCP server failed: /);
  }
});

it('a structured result that does not fit the schema of its tool fails the call with a sentence', async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const { call } = await runOn([tool('tool', { outputSchema })], {
    content: [],
    structuredContent: { n: 'x' },
  });
  expect(call?.error?.message).toMatch(/^The tool "tool" of the MCP server failed: /);
});

it('a huge result is cut, and a huge file is left out with a note', async () => {
  const { call } = await runOn(
    [tool('tool')],
    { content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] },
    { maxResultBytes: 1_000 },
  );
  expect(String(call?.result).length).toBeLessThan(1_100);
  expect(call?.result).toMatch(/\[Cut: /);
  const file = await runOn([tool('tool')], {
    content: [{ type: 'image', data: 'AAAA'.repeat(3_000_000), mimeType: 'image/png' }],
  });
  expect(file.call?.result).toBe('[A file of type image/png is left out: it is too large.]');
  expect(JSON.stringify(AgentState.messages(file.state)).length).toBeLessThan(5_000);
});

it('a call that never ends fails after the time limit, with the limit in its sentence', async () => {
  const { call } = await runOn([tool('tool')], new Promise(() => undefined), { timeoutMs: 200 });
  expect(call?.error).toMatchObject({ code: 'tool-timeout', message: expect.stringContaining('200 ms') });
});

it('names of any characters become different names that providers accept, and fine names stay', () => {
  const nameOf = fc.oneof(
    fc.string({ maxLength: 100 }),
    fc.stringMatching(/^[a-c._-]{1,5}$/),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(nameOf, { maxLength: 40 }), fc.constantFrom('', 'files_'), (names, prefix) => {
      const own = ownNames(names, prefix);
      expect(new Set(own).size).toBe(names.length);
      own.forEach((name, at) => {
        if (`${prefix}${names[at]}` !== '') expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        if (/^[a-zA-Z0-9_-]{1,64}$/.test(`${prefix}${names[at]}`)) expect(name).toBe(`${prefix}${names[at]}`);
      });
      expect(ownNames(names, prefix)).toEqual(own);
    }),
  );
});

it('the bytes of a picture go to the model once: its structured twin, in any place and form, names them', async () => {
  const data = `iVBORw0KGgo${'A'.repeat(400_000)}`;
  const image = { type: 'image', data, mimeType: 'image/png' };
  const twin = {
    content: [image],
    html: `<img src="data:image/png;base64,${data}">`,
    deep: [{ a: { data } }],
    n: 1,
  };
  const { call, state } = await runOn([tool('tool')], { content: [image], structuredContent: twin });
  const note = '[400011 characters of base64 are left out.]';
  expect(call?.result).toEqual({
    content: [{ ...image, data: note }],
    html: `<img src="data:image/png;base64,${note}">`,
    deep: [{ a: { data: note } }],
    n: 1,
    files: ['[A file of type image/png was added to the conversation.]'],
  });
  expect(
    AgentState.messages(state).flatMap(({ parts }) => parts.filter(({ type }) => type === 'file')),
  ).toHaveLength(1);
});

it('base64 that stands only in the structured content is left out, and a cursor is not', async () => {
  const cursor = 'aB3'.repeat(300);
  const { call } = await runOn([tool('tool')], {
    content: [],
    structuredContent: { cursor, blob: 'aB3'.repeat(100_000), words: 'no bytes '.repeat(1_000) },
  });
  expect(call?.result).toEqual({
    cursor,
    blob: '[300000 characters of base64 are left out.]',
    words: 'no bytes '.repeat(1_000),
  });
});

it('a result without a limit of the agent has at most 200,000 bytes, whether it is text or structured', async () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => `row ${at}`);
  for (const result of [
    { content: [{ type: 'text', text: rows.join('\n') }] },
    { content: [], structuredContent: { rows } },
  ]) {
    const { call } = await runOn([tool('tool')], result);
    expect(String(call?.result).length).toBeLessThan(200_000);
    expect(call?.result).toMatch(/\[Cut: these are the first \d+ bytes of a result of \d+; /);
  }
});

it.each([
  ['parts that are null', { content: [null, { type: 'text', text: 'ok' }] }, 'ok'],
  [
    'a structured content of null',
    { content: [{ type: 'text', text: 'ok' }], structuredContent: null },
    'ok',
  ],
  ['a text of null', { content: [{ type: 'text', text: null }] }, ''],
  ['a resource of null', { content: [{ type: 'resource', resource: null }] }, '[Resource ]\n'],
])(
  'a result with %s is read as far as it can be, or fails with a sentence',
  async (_what, result, expected) => {
    const { call } = await runOn([tool('tool')], result);
    if (call?.status === 'completed') expect(call.result).toBe(expected);
    else
      expect(call?.error?.message).toMatch(
        /^The tool "tool" of the MCP server failed: (?!.*(undefined|TypeError|Cannot read))/,
      );
  },
);

it('a picture of a tool goes to the model behind its own result, and later as a message of the person', async () => {
  const rolesOf = (messages: readonly Message[]): string[] =>
    messages.map(({ role, parts }) => `${role}: ${parts.map(({ type }) => type).join(' ')}`);
  const asked: string[][] = [];
  const note = (request: InferenceRequest): void => void asked.push(rolesOf(request.messages));
  const server = await serveResults((method, params) =>
    method === 'tools/list'
      ? { tools: [tool('one'), tool('two')] }
      : { content: [{ type: 'image', data: btoa(String(params['name'])), mimeType: 'image/png' }] },
  );
  closing.push(server.close);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  closing.push(() => client.close());
  const agent = scriptedAgent(
    [
      {
        toolCalls: [
          { name: 'one', input: {} },
          { name: 'two', input: {} },
        ],
      },
      (request) => (note(request), { text: 'done' }),
      (request) => (note(request), { text: 'done' }),
    ],
    { plugins: [mcpTools(client)] },
  );
  const first = await createAgentLoop(agent).execute(question());
  await createAgentLoop(agent).execute(AgentState.withUserMessage(first, 'And now?'));
  expect(asked).toEqual([
    [
      'system: text',
      'user: text',
      'assistant: tool-call tool-call',
      'tool: tool-result file',
      'tool: tool-result file',
    ],
    ['system: text', 'user: text', 'user: file', 'user: file', 'assistant: text', 'user: text'],
  ]);
});
