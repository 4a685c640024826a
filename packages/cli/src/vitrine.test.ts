import { execFile, type ExecFileException } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { createRecorder, exportTrace, localChannel, sessionHub, shareSessions } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { folderOfTest } from '../../../tests/folder-of-test.ts';

const source = ['--conditions=@vitrine/source'];
const program = fileURLToPath(new URL('vitrine.ts', import.meta.url));
/** A program that ends with code 200 when anything opens a connection. */
const noNetwork = `data:text/javascript,${encodeURIComponent(
  `import net from 'node:net'; net.Socket.prototype.connect = () => process.exit(200); globalThis.fetch = () => process.exit(200);`,
)}`;

type Ended = { readonly code: number; readonly out: string; readonly err: string };

function vitrine(folder: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...source, '--import', noNetwork, program, ...args],
      { cwd: folder },
      (error: ExecFileException | null, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err }),
    );
  });
}

/** An agent file: what it answers with comes from the recording, and the prompt is what may change. */
const agentFile = (prompt: string): string => `
import { defineAgent, defineTool } from '@vitrine/core';
import * as z from 'zod';
const add = defineTool({ name: 'add', description: 'Adds', input: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => a + b });
export const agent = defineAgent({ name: 'adder', systemPrompt: ${JSON.stringify(prompt)}, tools: [add] });
export const other = 1;
`;

/** A folder with the library, an agent file and a recorded run of that agent. */
async function project(answer = 'It is 3'): Promise<{ readonly folder: string; readonly trace: string }> {
  const folder = folderOfTest('cli');
  await symlink(
    fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  );
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'agent.ts'), agentFile('Add numbers.'));
  await writeFile(join(folder, 'trace.json'), JSON.stringify(await recordedTrace(answer)));
  return { folder, trace: join(folder, 'trace.json') };
}

async function recordedTrace(answer: string): Promise<unknown> {
  const recorder = createRecorder();
  const add = defineTool({
    name: 'add',
    description: 'Adds',
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  });
  const inference = scriptedInference([
    { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] },
    { text: answer },
  ]);
  const agent = defineAgent({ name: 'adder', systemPrompt: 'Add numbers.', tools: [add], inference });
  const session = createAgentSession({ agent });
  await session.sendMessage('What is 1 + 2? My key is sk-proj-abcdefghijklmnopqrstuvwxyz012345');
  const record = recorder.read(sessionHub().sources().at(-1)!);
  await session.dispose();
  recorder.dispose();
  return exportTrace(record, { name: 'adder', exportedAt: 5 }).document;
}

describe('vitrine check', () => {
  it('check tells whether recorded runs meet an expectation, without an agent', async () => {
    const { folder, trace } = await project();
    const met = await vitrine(folder, 'check', trace, '--expect', '{"says":"it is 3"}');
    expect([met.code, met.out]).toEqual([
      0,
      expect.stringMatching(/^run 1 \("What is .*\): as expected\.\n$/),
    ]);
    const other = await vitrine(folder, 'check', trace, '--expect', '{"neverCalls":{"tool":"add"}}');
    expect([other.code, other.out]).toEqual([
      1,
      expect.stringContaining('not as expected. It calls add({"a":1,"b":2}).'),
    ]);
    const undecided = await vitrine(folder, 'check', trace, '--expect', '{"judge":"kind"}');
    expect([undecided.code, undecided.out]).toEqual([
      125,
      expect.stringContaining('not decided. Only a model can judge'),
    ]);
    await writeFile(join(folder, 'expect.json'), '{"asksAtMost":0}');
    const impossible = await vitrine(folder, 'check', trace, '--expect', 'expect.json');
    expect([impossible.code, impossible.err]).toEqual([129, expect.stringContaining('No run can meet it')]);
  });

  it('check ends with 0 while the agent does what was recorded, and opens no connection', async () => {
    const { folder } = await project();
    const { code, out } = await vitrine(folder, 'check', 'trace.json', '--agent', 'agent.ts#agent');
    expect(out).toContain('equal. 2 model calls and 1 tool calls came from the recording.');
    expect(code).toBe(0);
  });

  it('check ends with 1 and names step and place when the prompt has changed', async () => {
    const { folder } = await project();
    await writeFile(join(folder, 'agent.ts'), agentFile('Add numbers quickly.'));
    const { code, out } = await vitrine(folder, 'check', 'trace.json', '--agent', 'agent.ts');
    expect(out).toMatch(/different\. Step 1: the prompt differs from the recording at systemPrompt/);
    expect(code).toBe(1);
  });

  it('check ends with 125 for an agent that cannot be imported or is none, so that a bisect skips it', async () => {
    const { folder } = await project();
    const wrong = await vitrine(folder, 'check', 'trace.json', '--agent', 'agent.ts#other');
    expect([wrong.code, wrong.err]).toEqual([
      125,
      expect.stringContaining('"other" of agent.ts is no agent'),
    ]);
    const gone = await vitrine(folder, 'check', 'trace.json', '--agent', 'gone.ts');
    expect([gone.code, gone.err]).toEqual([125, expect.stringContaining('gone.ts cannot be imported')]);
    await writeFile(join(folder, 'agent.ts'), 'export const agent = (');
    expect((await vitrine(folder, 'check', 'trace.json', '--agent', 'agent.ts')).code).toBe(125);
  });

  it('every command ends with 129 for a wrong command or trace, so that a bisect ends', async () => {
    const { folder } = await project();
    await writeFile(join(folder, 'broken.json'), '{"format": 1');
    const cases = [
      [['check', 'trace.json'], 'Name the agent'],
      [['check', 'gone.json', '--agent', 'agent.ts'], 'gone.json cannot be read'],
      [['check', 'broken.json', '--agent', 'agent.ts'], 'broken.json: The trace cannot be opened'],
      [['chek', 'trace.json'], 'There is no command "chek"'],
      [['show', 'trace.json', '--run', '9'], 'has no run 9; its runs are 1'],
      [['show', 'trace.json', '--run', 'x'], '--run takes a number'],
    ] as const;
    for (const [args, said] of cases) {
      const { code, err } = await vitrine(folder, ...args);
      expect([code, err]).toEqual([129, expect.stringContaining(said)]);
    }
  });
});

describe('vitrine diff and show', () => {
  it('diff prints what two runs did differently, without ids, times and secrets', async () => {
    const { folder } = await project();
    await writeFile(join(folder, 'other.json'), JSON.stringify(await recordedTrace('It is 4')));
    const { code, out } = await vitrine(folder, 'diff', 'trace.json', 'other.json');
    expect(out).toBe('- step 2, answer: It is 3\n+ step 2, answer: It is 4\n');
    expect(code).toBe(1);
    const same = await vitrine(folder, 'diff', 'trace.json', 'trace.json');
    expect([same.code, same.out]).toEqual([0, expect.stringContaining('The runs are equal')]);
  });

  it('show prints the runs, the reason of the end, and what the run did', async () => {
    const { folder } = await project();
    const { code, out } = await vitrine(folder, 'show', 'trace.json');
    expect(code).toBe(0);
    expect(out).toContain('reason: completed');
    expect(out).toContain('step 1, call of add: {"a":1,"b":2}');
    expect(out).not.toContain('sk-proj-');
  });
});

/** The agent of the trace with a hook that makes its model forget numbers. */
const forgetful = `
import { defineAgent, defineHook, defineTool } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
const add = defineTool({ name: 'add', description: 'Adds', input: z.object({ a: z.number(), b: z.number() }), execute: () => { throw new Error('An experiment runs no tool.'); } });
const answer = (request) =>
  !request.messages.some(({ role }) => role === 'tool')
    ? { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }
    : { text: request.settings.lazy === undefined ? 'It is 3.' : 'Many.' };
const lazy = defineHook({ name: 'lazy', on: 'before-inference', run: (_state, ctx) => ctx.replace('request', { ...ctx.fields.request, settings: { lazy: true } }) });
export const agent = defineAgent({ name: 'adder', tools: [add], hooks: [lazy], inference: scriptedInference([answer]) });
`;

describe('vitrine blame', () => {
  it('blame names the part of the agent that breaks an expectation, and has no effect', async () => {
    const { folder, trace } = await project('Many');
    await writeFile(join(folder, 'agent.ts'), forgetful);
    const expectation = '{"says":"3","title":"it counts"}';
    const found = await vitrine(folder, 'blame', trace, '--agent', 'agent.ts#agent', '--expect', expectation);
    expect(found).toMatchObject({ code: 0, err: '' });
    expect(found.out).toMatch(
      /^With hook `lazy` off it counts: 5 of 5\. As it was: 0 of 5\.\n {2}as it was \| 0 of 5 \| .*\n/,
    );
    expect(found.out).toMatch(/\n\d+ model calls\.\n$/);
    const few = await vitrine(
      folder,
      'blame',
      trace,
      '--agent',
      'agent.ts',
      '--expect',
      expectation,
      '--calls',
      '2',
    );
    expect([few.code, few.out]).toEqual([1, expect.stringContaining('2 calls are too few')]);
    const asked = ['--agent', 'agent.ts', '--expect', expectation, '--models', 'small,large'];
    const others = await vitrine(folder, 'blame', trace, ...asked);
    expect(others.out).toMatch(/\n {2}model `small` \| 0 of 1 .*\n {2}model `large` \| 0 of 1 /);
  });

  it('blame says in a sentence what it cannot use', async () => {
    const { folder, trace } = await project();
    const wrong = [
      ['blame', trace, '--agent', 'agent.ts'],
      ['blame', trace, '--agent', 'agent.ts', '--expect', '{"says":1}'],
      ['blame', trace, '--agent', 'agent.ts', '--expect', '{"says":"x"}', '--calls', 'many'],
    ];
    for (const args of wrong) expect((await vitrine(folder, ...args)).code).toBe(129);
    await writeFile(join(folder, 'agent.ts'), forgetful.replace("name: 'add'", "name: 'sum'"));
    const gone = await vitrine(folder, 'blame', trace, '--agent', 'agent.ts', '--expect', '{"says":"x"}');
    expect([gone.code, gone.err]).toEqual([
      125,
      expect.stringContaining('The agent has no tool "add" any more'),
    ]);
  });

  it('a coding agent asks the tool `blame`, which is there when an agent is named', async () => {
    const { folder, trace } = await project('Many');
    await writeFile(join(folder, 'agent.ts'), forgetful);
    const client = new Client({ name: 'test', version: '1' });
    const args = [...source, program, 'mcp', trace, '--agent', 'agent.ts#agent'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
    try {
      const { content } = await client.callTool({ name: 'blame', arguments: { expect: { says: '3' } } });
      expect(JSON.stringify(content)).toContain('With hook `lazy` off it says');
      const wrong = await client.callTool({ name: 'blame', arguments: { expect: { asksAtMost: 0 } } });
      expect(wrong).toMatchObject({ isError: true });
    } finally {
      await client.close();
    }
  });
});

describe('vitrine mcp', () => {
  it('vitrine mcp answers a real MCP client about a trace, and sees a new export', async () => {
    const { folder, trace } = await project();
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...source, program, 'mcp', trace],
        cwd: folder,
      }),
    );
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        'runs',
        'whyStopped',
        'findings',
        'costOf',
        'promptAt',
        'leftOut',
        'stateAt',
        'whoWrote',
        'diff',
      ]);
      const why = await client.callTool({ name: 'whyStopped', arguments: {} });
      expect(why.structuredContent).toMatchObject({ items: [{ status: 'completed', answer: 'It is 3' }] });
      await writeFile(trace, JSON.stringify(await recordedTrace('It is 5')));
      const again = await client.callTool({ name: 'whyStopped', arguments: {} });
      expect(JSON.stringify(again.structuredContent)).toContain('It is 5');
      const wrong = await client.callTool({ name: 'promptAt', arguments: { step: 9 } });
      expect(wrong).toMatchObject({
        isError: true,
        content: [{ text: 'There is no step 9 in run 1, which has 2 steps.' }],
      });
    } finally {
      await client.close();
    }
  });

  it('vitrine mcp --page answers about the live sessions of a page, and tells how a page connects', async () => {
    const port = await freePort();
    const client = new Client({ name: 'test', version: '1' });
    const args = [...source, program, 'mcp', '--page', '--port', String(port), '--token', token];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    const ask = (name: string, input: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: input });
    try {
      const alone = await ask('runs');
      expect(alone).toMatchObject({ isError: true });
      expect(JSON.stringify(alone.content)).toContain(`localChannel('http://127.0.0.1:${port}/#${token}')`);
      const stop = shareSessions(localChannel(`http://127.0.0.1:${port}/#${token}`));
      const agent = defineAgent({
        name: 'live',
        inference: scriptedInference([{ text: 'I am here' }, { text: 'Still' }]),
      });
      const session = createAgentSession({ agent });
      await session.sendMessage('Who? My key is sk-proj-abcdefghijklmnopqrstuvwxyz012345');
      await expect.poll(async () => JSON.stringify((await ask('whyStopped')).content)).toContain('I am here');
      expect(JSON.stringify((await ask('promptAt', { step: 1 })).content)).not.toContain('sk-proj-');
      await session.sendMessage('And now?');
      await expect.poll(async () => JSON.stringify((await ask('runs')).content)).toContain('And now?');
      stop();
      await session.dispose();
    } finally {
      await client.close();
    }
  });

  it('a page with a wrong token is not heard, and nothing is taken that is no message', async () => {
    const port = await freePort();
    const client = new Client({ name: 'test', version: '1' });
    const args = [...source, program, 'mcp', '--page', '--port', String(port), '--token', token];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    try {
      const url = `http://127.0.0.1:${port}/`;
      const right = { authorization: `Bearer ${token}` };
      const status = async (init: RequestInit): Promise<number> => (await fetch(url, init)).status;
      expect(await status({})).toBe(401);
      expect(await status({ headers: { authorization: `Bearer ${token}x` } })).toBe(401);
      expect(await status({ method: 'POST', headers: right, body: '{' })).toBe(400);
      expect(
        await status({ method: 'POST', headers: right, body: '{"format":"vitrine-remote","version":9}' }),
      ).toBe(204);
      expect(await client.callTool({ name: 'runs' })).toMatchObject({ isError: true });
      const second = await vitrine('.', 'mcp', '--page', '--port', String(port));
      expect([second.code, second.err]).toEqual([129, expect.stringContaining(`Port ${port} is taken`)]);
    } finally {
      await client.close();
    }
  });

  it('vitrine mcp ends with 129 without a trace, and for a token and an address that cannot be used', async () => {
    for (const [args, said] of [
      [['mcp'], 'Name at least one trace, or --page'],
      [['mcp', '--page', '--token', 'short'], '--token takes at least 16'],
    ] as const) {
      const { code, err } = await vitrine('.', ...args);
      expect([code, err]).toEqual([129, expect.stringContaining(said)]);
    }
    for (const address of ['', 'http://127.0.0.1:4983/', 'https://tools.example/#token', 'localhost#x'])
      expect(() => localChannel(address)).toThrow(/give the address that `vitrine mcp --page` prints/);
  });
});

const token = 'a-token-of-the-test';

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { readonly port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe('vitrine check of cases', () => {
  it(
    'a folder of cases is checked, with one line each and a sentence about all',
    { timeout: 120_000 },
    async () => {
      const { folder } = await project();
      const cases = join(folder, 'cases');
      await mkdir(cases);
      const trace = (await recordedTrace('It is 3')) as object;
      const keep = (name: string, expects?: unknown): Promise<void> =>
        writeFile(join(cases, `${name}.case.json`), JSON.stringify({ ...trace, expects }));
      await keep('adds', { says: '3' });
      const green = await vitrine(folder, 'check', 'cases', '--agent', 'agent.ts');
      expect(green.out).toBe('adds: as expected. It says "3".\n1 case: 1 as expected.\n');
      expect(green.code).toBe(0);
      await keep('says-four', { says: '4' });
      const red = await vitrine(folder, 'check', 'cases');
      expect(red.out).toContain(
        'says-four: not as expected. It does not say "4".\n2 cases: 1 as expected, 1 not.',
      );
      expect(red.code).toBe(1);
      await writeFile(join(folder, 'agent.ts'), agentFile('Add them.'));
      const changed = await vitrine(folder, 'check', 'cases/adds.case.json', '--agent', 'agent.ts');
      expect(changed.out).toMatch(/adds: not decided\. It goes another way now, and no model was asked/);
      expect(changed.code).toBe(125);
      await keep('says-four');
      const unread = await vitrine(folder, 'check', 'cases/says-four.case.json');
      expect([unread.code, unread.out]).toEqual([125, expect.stringContaining('without an expectation')]);
      await rm(cases, { recursive: true });
      await mkdir(cases);
      expect((await vitrine(folder, 'check', 'cases')).err).toMatch(/has no case/);
    },
  );
});
