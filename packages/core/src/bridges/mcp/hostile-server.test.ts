import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { AgentState, createAgentLoop, type AgentError } from '../../index.ts';
import { asked, scriptedAgent } from '../../testing/fixtures.ts';
import { ownNames } from '../foreign-tools.ts';
import { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
import { serveResults } from '../../../../../tests/serve-mcp.ts';

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
  const state = await createAgentLoop(agent).execute(asked());
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
