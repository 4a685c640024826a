import { Client } from '@modelcontextprotocol/client';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AgentState,
  createAgentLoop,
  createAgentSession,
  type AgentError,
  type JsonValue,
} from '@vitrine/core';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { connectedClient, type Era, eras } from './clients.fixture.ts';
import { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
import { mcpViews } from './views.ts';
import { serveMcp, serveResults, type ServedMcp } from '../../../tests/serve-mcp.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function connect(server: ServedMcp, era: Era = { version: 'newest', mode: 'auto' }): Promise<Client> {
  const client = await connectedClient(server.url, era);
  closing.push(() => client.close());
  return client;
}

async function served(register: (server: McpServer) => void): Promise<ServedMcp> {
  const made = await serveMcp(() => {
    const server = new McpServer({ name: 'files', version: '1.0.0' });
    register(server);
    return server;
  });
  closing.push(made.close);
  return made;
}

const anyInput = fromJsonSchema({ type: 'object', properties: { at: { type: 'number' } } });
const readOnly = { readOnlyHint: true };

/** Runs one step with calls and one with an answer. */
async function run(
  client: Parameters<typeof mcpTools>[0],
  calls: readonly { readonly name: string; readonly input?: JsonValue }[],
  options: McpToolsOptions = {},
) {
  const tools: string[][] = [];
  const script: ScriptedEntry[] = [
    (request) => {
      tools.push(request.tools.map(({ name }) => name));
      return { toolCalls: calls.map(({ name, input = {} }) => ({ name, input })) };
    },
    { text: 'done' },
  ];
  const agent = scriptedAgent(script, { plugins: [mcpTools(client, options)] });
  const state = await createAgentLoop(agent).execute(ask());
  const executions = AgentState.steps(state)[0]?.toolExecutions ?? [];
  return { state, executions, results: executions.map(({ result }) => result), tools: tools[0] ?? [] };
}

describe.each(eras)('an MCP server over HTTP ($mode, client $version)', (era) => {
  it('a call of a tool has the text, the structured content or the error of the server as its result', async () => {
    const server = await served((mcp) => {
      mcp.registerTool(
        'add',
        { description: 'Adds', inputSchema: anyInput, annotations: readOnly },
        (input) => ({
          content: [{ type: 'text', text: `got ${JSON.stringify(input)}` }],
        }),
      );
      mcp.registerTool(
        'count',
        {
          inputSchema: anyInput,
          annotations: readOnly,
          outputSchema: fromJsonSchema({ type: 'object', properties: { n: { type: 'number' } } }),
        },
        () => ({ content: [{ type: 'text', text: '{"n":3}' }], structuredContent: { n: 3 } }),
      );
      mcp.registerTool('broken', { inputSchema: anyInput, annotations: readOnly }, () => ({
        content: [{ type: 'text', text: 'The disk is full.' }],
        isError: true,
      }));
    });
    const { executions, results, tools } = await run(await connect(server, era), [
      { name: 'add', input: { at: 1 } },
      { name: 'count' },
      { name: 'broken' },
    ]);
    expect(tools).toEqual(['add', 'count', 'broken']);
    expect(results).toEqual(['got {"at":1}', { n: 3 }, undefined]);
    expect(executions[2]).toMatchObject({
      status: 'failed',
      error: { code: 'tool-failed', message: 'The disk is full.' },
    });
  });

  it('a tool for views is not offered to a model, and a view has its call with the whole result', async () => {
    const server = await served((mcp) => {
      const register = (name: string, ui: object): void =>
        void mcp.registerTool(name, { inputSchema: anyInput, annotations: readOnly, _meta: { ui } }, () => ({
          content: [{ type: 'text', text: name }],
          structuredContent: { name },
          _meta: { zoom: 3 },
        }));
      register('show map', { resourceUri: 'ui://maps/map' });
      register('zoom', { visibility: ['app'], resourceUri: 'ui://maps/map' });
      register('show_map', { visibility: ['model'] });
      register('read resource', { resourceUri: 'ui://maps/list' });
      register('page', { resourceUri: 'https://maps.example/map' });
      mcp.registerResource('map', 'ui://maps/map', {}, () => ({ contents: [] }));
    });
    const client = await connect(server, era);
    const views = await mcpViews(client, { name: 'm' });
    const [map] = views;
    const { tools, results, executions } = await run(client, [{ name: map?.toolName ?? '' }], { name: 'm' });
    expect(tools).not.toContain('m_zoom');
    expect(views.map(({ uri }) => uri)).toEqual(['ui://maps/map', 'ui://maps/list']);
    for (const { toolName } of views) expect(tools).toContain(toolName);
    expect(results).toEqual([{ name: 'show map' }]);
    expect(map?.resultOf(executions[0]?.id ?? '')).toMatchObject({
      content: [{ type: 'text', text: 'show map' }],
      structuredContent: { name: 'show map' },
      _meta: { zoom: 3 },
    });
    expect(map?.resultOf('another')).toBe(null);
  });

  it('images and binary resources become files of the conversation, and their result names them', async () => {
    const server = await served((mcp) =>
      mcp.registerTool('chart', { inputSchema: anyInput, annotations: readOnly }, () => ({
        content: [
          { type: 'text', text: 'A chart.' },
          { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'file:///a/data.bin', blob: 'AAEC', mimeType: 'text/<bad>' } },
          { type: 'resource', resource: { uri: 'file:///a/notes.txt', text: 'Buy milk' } },
          { type: 'resource_link', uri: 'file:///b', name: 'b' },
        ],
      })),
    );
    const { results, state } = await run(await connect(server, era), [{ name: 'chart' }]);
    expect(results[0]).toBe(
      [
        'A chart.',
        '[Resource file:///a/notes.txt]\nBuy milk',
        '[Resource file:///b: b]',
        '[A file of type image/png was added to the conversation.]',
        '[The file "data.bin" of type application/octet-stream was added to the conversation.]',
      ].join('\n'),
    );
    const files = AgentState.messages(state).flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'file'),
    );
    expect(files).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'aGVsbG8=', filename: null },
      { type: 'file', mediaType: 'application/octet-stream', data: 'AAEC', filename: 'data.bin' },
    ]);
  });

  it('the tool read_resource lists and reads the resources of the server', async () => {
    const server = await served((mcp) => {
      mcp.registerResource('notes', 'file:///notes.txt', { mimeType: 'text/plain' }, () => ({
        contents: [{ uri: 'file:///notes.txt', text: 'Buy milk' }],
      }));
      mcp.registerResource('logo', 'file:///logo.png', {}, () => ({
        contents: [{ uri: 'file:///logo.png', blob: 'AAEC', mimeType: 'image/png' }],
      }));
    });
    const { results, executions } = await run(await connect(server, era), [
      { name: 'read_resource' },
      { name: 'read_resource', input: { uri: 'file:///notes.txt' } },
      { name: 'read_resource', input: { uri: 'file:///logo.png' } },
      { name: 'read_resource', input: { uri: 'file:///none' } },
    ]);
    expect(results.slice(0, 3)).toEqual([
      [
        { uri: 'file:///notes.txt', name: 'notes', mediaType: 'text/plain' },
        { uri: 'file:///logo.png', name: 'logo', mediaType: null },
      ],
      '[Resource file:///notes.txt]\nBuy milk',
      '[The file "logo.png" of type image/png was added to the conversation.]',
    ]);
    expect(executions[3]?.error?.message).toMatch(/^Its resource of the MCP server failed: /);
  });

  it('the progress of a call becomes the progress of its tool, a flood of it one report in 100 ms', async () => {
    const server = await served((mcp) =>
      mcp.registerTool('slow', { inputSchema: anyInput, annotations: readOnly }, async (_input, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken ?? '';
        for (let at = 1; at <= 500; at++)
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress: at, total: 500, message: `row ${at}` },
          });
        return { content: [{ type: 'text', text: 'done' }] };
      }),
    );
    const client = await connect(server, era);
    const progress: JsonValue[] = [];
    const agent = scriptedAgent([{ toolCalls: [{ name: 'slow', input: {} }] }, { text: 'done' }], {
      plugins: [mcpTools(client)],
    });
    const loop = createAgentLoop(agent, {
      onEvent: (event) => void (event.type === 'tool-progress' && progress.push(event.progress)),
    });
    await loop.execute(ask());
    expect(progress[0]).toEqual({ progress: 1, total: 500, message: 'row 1' });
    expect(progress.length).toBeLessThan(100);
  });

  it('a call is cancelled at the server when the run stops', async () => {
    let wasCancelled = false;
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const server = await served((mcp) =>
      mcp.registerTool('forever', { inputSchema: anyInput, annotations: readOnly }, (_input, ctx) => {
        ctx.mcpReq.signal.addEventListener('abort', () => (wasCancelled = true));
        begun();
        return new Promise(() => undefined);
      }),
    );
    const client = await connect(server, era);
    const agent = scriptedAgent([{ toolCalls: [{ name: 'forever', input: {} }] }], {
      plugins: [mcpTools(client)],
    });
    const session = createAgentSession({ agent });
    const turn = session.sendMessage('Go');
    await hasBegun;
    await session.stop();
    await turn;
    expect(AgentState.steps(session.store.getState().state)[0]?.toolExecutions[0]?.status).toBe(
      'interrupted',
    );
    await expect.poll(() => wasCancelled).toBe(true);
    await session.dispose();
  });
});

describe('what a server says about its tools', () => {
  const ok = () => ({ content: [{ type: 'text' as const, text: 'ok' }] });
  const hinted = (mcp: McpServer): void => {
    mcp.registerTool('read', { inputSchema: anyInput, annotations: readOnly }, ok);
    mcp.registerTool('append', { inputSchema: anyInput, annotations: { destructiveHint: false } }, ok);
    mcp.registerTool('remove', { inputSchema: anyInput }, ok);
  };

  it('a tool asks a person unless its server says that it only reads or destroys nothing', async () => {
    const client = await connect(await served(hinted));
    const agent = scriptedAgent(
      [{ toolCalls: ['read', 'append', 'remove'].map((name) => ({ name, input: {} })) }],
      { plugins: [mcpTools(client)] },
    );
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.currentStep(state)?.toolExecutions.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'awaiting-approval',
    ]);
  });

  it('only a tool that reads or may be repeated is called again after a reload', async () => {
    const prepared = await mcpTools(await connect(await served(hinted))).prepare?.({
      signal: new AbortController().signal,
    } as never);
    const { tools = [] } = prepared ?? {};
    expect(tools.map(({ effects }) => effects)).toEqual(['idempotent', 'once', 'once']);
  });

  it('the rule of the application replaces what the server says', async () => {
    const client = await connect(await served(hinted));
    const needsApproval: McpToolsOptions['needsApproval'] = ({ toolName }) =>
      toolName === 'read' ? { deny: 'Not today.' } : false;
    const { executions } = await run(client, [{ name: 'read' }, { name: 'remove' }], { needsApproval });
    expect(executions.map(({ status }) => status)).toEqual(['rejected', 'completed']);
  });

  it('needsApproval: true makes every call wait, also of a tool that says that it only reads', async () => {
    const client = await connect(await served(hinted));
    const { state } = await run(client, [{ name: 'read' }, { name: 'append' }], { needsApproval: true });
    expect(AgentState.currentStep(state)?.toolExecutions.map(({ status }) => status)).toEqual([
      'awaiting-approval',
      'awaiting-approval',
    ]);
  });

  it('two servers with tools of one name get both of them by their own names', async () => {
    const [one, two] = [await connect(await served(hinted)), await connect(await served(hinted))];
    const agent = scriptedAgent(
      [
        {
          toolCalls: [
            { name: 'a_read', input: {} },
            { name: 'b_read', input: {} },
          ],
        },
        { text: 'x' },
      ],
      {
        plugins: [mcpTools(one, { name: 'a' }), mcpTools(two, { name: 'b' })],
      },
    );
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.steps(state)[0]?.toolExecutions.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    expect(() => scriptedAgent([], { plugins: [mcpTools(one), mcpTools(two)] })).toThrow(
      /the plugin mcp twice/,
    );
  });

  it('a tool that appears is offered in the next step, and one that vanished gets a sentence', async () => {
    let names = ['first'];
    const client = await connect(
      await served((mcp) => {
        for (const name of names)
          mcp.registerTool(name, { inputSchema: anyInput, annotations: readOnly }, ok);
      }),
    );
    const offered: string[][] = [];
    const step =
      (call: string, next: string[]): ScriptedEntry =>
      (request) => {
        offered.push(request.tools.map(({ name }) => name));
        names = next;
        return { toolCalls: [{ name: call, input: {} }] };
      };
    const agent = scriptedAgent([step('first', ['second']), step('second', ['second']), { text: 'x' }], {
      plugins: [mcpTools(client)],
    });
    const state = await createAgentLoop(agent).execute(ask());
    expect(offered).toEqual([['first'], ['second']]);
    const [first, second] = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
    expect([first?.status, second?.status]).toEqual(['failed', 'completed']);
    expect(first?.error?.message).toMatch(/^The tool "first" of the MCP server failed: .*first/);
  });

  it('the model is told and the run goes on when the server cannot be reached', async () => {
    const server = await served(hinted);
    const client = await connect(server);
    await server.close();
    const reported: AgentError[] = [];
    let prompt = '';
    const agent = scriptedAgent(
      [
        ({ messages }) => {
          prompt = JSON.stringify(messages);
          return { text: 'I cannot read files now.' };
        },
      ],
      { plugins: [mcpTools(client, { name: 'files', onError: (error) => void reported.push(error) })] },
    );
    const state = await createAgentLoop(agent).execute(ask());
    expect(AgentState.status(state)).toBe('completed');
    expect(prompt).toContain('cannot be listed');
    expect(reported.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      expect.stringMatching(/^tools-unavailable: The tools of the MCP server "files" cannot be listed: /),
    ]);
    closing.splice(0, 1);
  });

  it('a name or a time limit that cannot be used is refused with what to give', async () => {
    const client = new Client({ name: 'x', version: '1' });
    expect(() => mcpTools(client, { name: 'my files' })).toThrow(/"my files" cannot be used as `name`/);
    expect(() => mcpTools(client, { timeoutMs: 0 })).toThrow(/timeoutMs is 0/);
  });
});

/** A client with the calls of `@modelcontextprotocol/sdk` 1: the options third, and lists by pages. */
function asOlder(client: Client) {
  return {
    callTool: (params: never, schema: unknown, options: never) => {
      expect(schema).toBeUndefined();
      return client.callTool(params, options);
    },
    listTools: async (params: { readonly cursor?: string } | undefined, options: never) => {
      const { tools } = await client.listTools(undefined, options);
      const at = Number(params?.cursor ?? 0);
      return {
        tools: tools.slice(at, at + 1),
        ...(at + 1 < tools.length ? { nextCursor: String(at + 1) } : {}),
      };
    },
    listResources: (params: never, options: never) => client.listResources(params, options),
    readResource: (params: never, options: never) => client.readResource(params, options),
    getServerCapabilities: () => client.getServerCapabilities(),
  };
}

it('a client of the SDK 1 gives all pages of tools, calls them with their time limit, and stops them', async () => {
  const aborted: unknown[] = [];
  const server = await served((mcp) => {
    const about = { inputSchema: anyInput, annotations: readOnly };
    mcp.registerTool('double', about, (given) => ({
      content: [{ type: 'text', text: `twice ${JSON.stringify(given)}` }],
    }));
    mcp.registerTool('hang', about, (_input, { mcpReq: { signal } }) => {
      signal.addEventListener('abort', () => aborted.push(signal.reason));
      return new Promise(() => undefined);
    });
  });
  const client = asOlder(await connect(server));
  const { executions, tools } = await run(client, [{ name: 'double', input: { at: 4 } }, { name: 'hang' }], {
    timeoutMs: 1000,
  });
  expect(tools).toEqual(['double', 'hang']);
  expect(executions).toMatchObject([
    { status: 'completed', result: 'twice {"at":4}' },
    { status: 'failed', error: { code: 'tool-timeout' } },
  ]);
  await vi.waitFor(() => expect(aborted).toHaveLength(1));
  expect(await mcpViews(client)).toEqual([]);
});

it('a client of the SDK 1 without the calls of resources works with a server that has none', async () => {
  const server = await served((mcp) => {
    const about = { inputSchema: anyInput, annotations: readOnly };
    mcp.registerTool('double', about, () => ({ content: [{ type: 'text', text: 'twice' }] }));
  });
  const { listResources, readResource, ...client } = asOlder(await connect(server));
  const { results } = await run(client as never, [{ name: 'double' }]);
  expect([results, typeof listResources, typeof readResource]).toEqual([['twice'], 'function', 'function']);
});

it('a value that is no client is refused at once', () => {
  for (const wrong of [{}, new URL('https://mcp.example'), { callTool: () => undefined }])
    expect(() => mcpTools(wrong as never)).toThrow('this is no client of MCP');
});

it('a tool that can only be called as a task is left out, with its reason', async () => {
  const object = { type: 'object' };
  const tools = ['now', 'later', 'either'].map((name) => ({ name, inputSchema: object }));
  const supports = { later: 'required', either: 'optional' } as const;
  const made = await serveResults((method) =>
    method === 'tools/list'
      ? {
          tools: tools.map((tool) =>
            tool.name in supports
              ? { ...tool, execution: { taskSupport: supports[tool.name as keyof typeof supports] } }
              : tool,
          ),
        }
      : { content: [] },
  );
  closing.push(made.close);
  const onError: AgentError[] = [];
  const client = await connect(made, { version: 'newest', mode: 'legacy' });
  const { tools: offered } = await run(client, [], { onError: (error) => onError.push(error) });
  expect(offered).toEqual(['now', 'either']);
  expect(onError.map(({ message }) => message)).toEqual([expect.stringMatching(/later.*as a task/)]);
});
