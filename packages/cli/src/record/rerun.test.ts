import { spawnSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatAnswer, programFile, startUpstream, startVitrine } from './recorded-programs.fixture.ts';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import { safeBody } from './safe-body.ts';

const canary = 'sk-canary-abcdefghijklmnop123456';
const run = { id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"at":"$HERE/file"}' } };

type Changes = {
  readonly prompt?: string;
  readonly tool?: string;
  readonly result?: string;
  readonly first?: string;
};

/** An agent that asks twice, shows its folder to the model, and makes ids of its own. */
const agent = ({ prompt = 'Be brief.', tool = 'Runs', result = '3', first = '' }: Changes = {}): string => `
${first}
const messages = [{ role: 'system', content: ${JSON.stringify(prompt)} + ' Folder: ' + process.cwd() }, { role: 'user', content: 'Weather?' }];
const tools = [{ type: 'function', function: { name: 'run', description: ${JSON.stringify(tool)}, parameters: {} } }];
for (;;) {
  const body = JSON.stringify({ model: 'm', stream: true, messages, tools, user: String(process.pid) });
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY }, body });
  if (!response.ok) { console.log(await response.text()); process.exit(4); }
  const chunks = (await response.text()).split('\\n\\n').filter((part) => part.startsWith('data: {')).map((part) => JSON.parse(part.slice(6)).choices[0].delta);
  const content = chunks.map((delta) => delta.content ?? '').join('');
  const calls = chunks.flatMap((delta) => delta.tool_calls ?? []).map((call) => ({ ...call, id: crypto.randomUUID() }));
  console.log(content);
  if (calls.length === 0) break;
  messages.push({ role: 'assistant', content, tool_calls: calls });
  for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: ${JSON.stringify(result)} + ' password=${canary}' });
}
`;

type Recorded = { readonly tape: string; readonly folder: string; readonly text: string };

let recorded: Promise<Recorded> | null = null;

/** The recording of the agent, which is made once. */
async function recordedAgent(): Promise<Recorded> {
  const { folder, text } = await (recorded ??= recordAgent());
  const tape = join(folderOfTest('rerun'), 'run.tape');
  await writeFile(tape, text);
  return { tape, folder, text };
}

/** Records the agent into a file; the model asks for a call and says a secret in pieces. */
async function recordAgent(): Promise<Recorded> {
  const upstream = await startUpstream(({ body }, response) => {
    const isFirst = !body.includes('"role":"tool"');
    const [, folder = ''] = /Folder: ([^"]+)/.exec(body) ?? [];
    const own = JSON.parse(JSON.stringify(run).replace('$HERE', folder)) as object;
    const deltas = isFirst
      ? [{ tool_calls: [{ index: 0, ...own }] }]
      : ['It is ', canary.slice(0, 9), canary.slice(9), '.'].map((content) => ({ content }));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': canary });
    for (const delta of deltas)
      response.write(`data: ${JSON.stringify({ id: 'a', model: 'm', choices: [{ index: 0, delta }] })}\n\n`);
    const finish_reason = isFirst ? 'tool_calls' : 'stop';
    response.end(
      `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, delta: {}, finish_reason }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  const file = await programFile('agent.mjs', agent());
  const cwd = dirname(file);
  const env = { OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: canary };
  const args = ['record', '--no-open', '--save', 'run.tape', '--', process.execPath, file];
  expect(await startVitrine(args, { env, cwd }).ended).toMatchObject({
    code: 0,
    out: `\nIt is ${canary}.\n`,
  });
  const tape = join(cwd, 'run.tape');
  expect((await stat(tape)).mode & 0o777).toBe(0o600);
  return { folder: cwd, text: await readFile(tape, 'utf8'), tape };
}

/** Runs a changed agent on a recording, in a folder of its own and without a key. */
async function rerun(tape: string, changes?: Changes, ...more: readonly string[]) {
  const file = await programFile('agent.mjs', agent(changes));
  const args = ['rerun', tape, '--ignore', 'settings.user', ...more, '--', process.execPath, file];
  return startVitrine(args, { cwd: dirname(file), env: { OPENAI_API_KEY: '' } }).ended;
}

describe('vitrine rerun', { timeout: 120_000 }, () => {
  it('a recorded program runs twice without a model, in other folders, and is equal', async () => {
    const { tape } = await recordedAgent();
    for (let times = 0; times < 2; times++) {
      const { code, out, err } = await rerun(tape);
      expect({ code, err }).toEqual({ code: 0, err: 'vitrine: 2 of 2 requests are as recorded.\n' });
      expect(out).toBe('\nIt is •••.\n');
    }
  });

  it('a recording holds no key and no path, and only its owner reads it', async () => {
    const { text, folder } = await recordedAgent();
    expect(text).not.toContain('canary');
    expect(text).not.toContain(folder);
    expect(text).toContain('$PWD');
    expect(text).not.toContain('set-cookie');
  });

  it.each([
    [{ prompt: 'Be very brief.' }, 'Request 1 differs at system: recorded "Be brief.'],
    [{ tool: 'Runs it' }, 'Request 1 differs at tools.0.description (run): recorded "Runs", now "Runs it".'],
    [
      { result: '4' },
      'Request 2 differs at messages.2.text (tool): recorded "3 password=•••", now "4 password=•••".',
    ],
  ])('one changed word is exit code 1 with its place: %j', async (changes, place) => {
    const { tape } = await recordedAgent();
    const { code, out, err } = await rerun(tape, changes);
    expect(code).toBe(1);
    expect(err).toContain(place);
    expect(err).toMatch(/[12] recorded requests were not made\./);
    expect(out).toContain('vitrine rerun: Request');
  });

  it('a difference in numbers only is named as that of a clock, and can be ignored', async () => {
    const { tape } = await recordedAgent();
    const file = await programFile('agent.mjs', agent());
    const args = ['rerun', tape, '--', process.execPath, file];
    const { code, err } = await startVitrine(args, { cwd: dirname(file) }).ended;
    expect(code).toBe(1);
    expect(err).toContain(
      'Only numbers differ, as those of a clock do: --ignore settings.user leaves it out.',
    );
  });

  it('a request more, a request less and another exit code are differences', async () => {
    const { tape } = await recordedAgent();
    const more = await rerun(tape, {
      first: `process.on('beforeExit', async () => { await fetch(process.env.OPENAI_BASE_URL + '/embeddings', { method: 'POST', body: '{}' }); process.exit(); });`,
    });
    expect(more).toMatchObject({
      code: 1,
      err: expect.stringContaining('a request more than was recorded') as string,
    });
    const ends = await rerun(tape, { first: `process.on('exit', () => (process.exitCode = 5));` });
    expect(ends).toMatchObject({
      code: 1,
      err: expect.stringContaining('It ended with exit code 5, and with 0') as string,
    });
  });

  it('a program that asks nothing cannot be compared, and another file is no recording', async () => {
    const { tape } = await recordedAgent();
    expect(await rerun(tape, { first: 'process.exit(1);' })).toMatchObject({ code: 125 });
    const other = join(dirname(tape), 'other.tape');
    await writeFile(other, '{"format":"vitrine-tape","version":2}\n');
    for (const file of [other, join(dirname(tape), 'none.tape')])
      expect(await rerun(file)).toMatchObject({ code: 129, out: '' });
    expect(await startVitrine(['rerun', tape]).ended).toMatchObject({ code: 129 });
  });

  it('a failed answer and its second attempt are played in their order', async () => {
    let isAway = true;
    const upstream = await startUpstream((_seen, response) => {
      response.writeHead(isAway ? 529 : 200, { 'content-type': 'application/json' });
      response.end(isAway ? '{"error":{"message":"Overloaded"}}' : chatAnswer({ content: 'Here.' }));
      isAway = false;
    });
    const file = await programFile(
      'agent.mjs',
      `
for (let times = 0; times < 2; times++) {
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: '{"messages":[]}' });
  console.log(response.status, (await response.json()).choices?.[0].message.content);
}`,
    );
    const tape = join(dirname(file), 'run.tape');
    const env = { OPENAI_BASE_URL: upstream.url };
    const recorded = await startVitrine(
      ['record', '--no-open', '--save', tape, '--', process.execPath, file],
      { env },
    ).ended;
    const again = await startVitrine(['rerun', tape, '--', process.execPath, file]).ended;
    expect(again).toMatchObject({ code: 0, out: '529 undefined\n200 Here.\n' });
    expect(recorded.out).toBe(again.out);
  });

  it('show lists the sessions of a recording and shows one, and diff and mcp take one by its number', async () => {
    const upstream = await startUpstream(({ body }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(chatAnswer({ content: body.includes('Hello') ? 'Good day.' : 'Bye.' }));
    });
    const file = await programFile(
      'agent.mjs',
      `for (const content of ['Hello', 'Farewell'])
  await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }) });`,
    );
    const cwd = dirname(file);
    const vitrine = (...args: string[]) =>
      startVitrine(args, { cwd, env: { OPENAI_BASE_URL: upstream.url } }).ended;
    await vitrine('record', '--quiet', '--save', 'run.tape', '--', process.execPath, file);
    const list = await vitrine('show', 'run.tape');
    expect(list.out).toMatch(
      /^run\.tape, recorded 20.*Z\n  #1 .*: "Hello", runs: 1, completed\n  #2 .*: "Farewell"/,
    );
    const one = await vitrine('show', 'run.tape#2');
    expect(one.out).toContain('step 1, answer: Bye.');
    const diff = await vitrine('diff', 'run.tape#1', 'run.tape#2');
    expect(diff).toMatchObject({
      code: 1,
      out: expect.stringContaining('- step 1, answer: Good day.\n') as string,
    });
    expect(await vitrine('diff', 'run.tape#1', 'run.tape#1')).toMatchObject({ code: 0 });
    expect(await vitrine('check', 'run.tape#1', '--expect', '{"says":"good day"}')).toMatchObject({
      code: 0,
    });
    expect(await vitrine('view', 'run.tape')).toMatchObject({
      code: 129,
      err: 'run.tape holds 2 sessions. Name one: run.tape#1. vitrine show run.tape lists them.\n',
    });
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    const program = fileURLToPath(new URL('../vitrine.ts', import.meta.url));
    const args = ['--conditions=@vitrine/source', program, 'mcp', join(cwd, 'run.tape')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));
    const session = `${join(cwd, 'run.tape')}#2`;
    const { structuredContent } = await client.callTool({ name: 'runs', arguments: { session } });
    expect(JSON.stringify(structuredContent)).toContain('Farewell');
  });

  it('a full disk changes nothing for the program, and what was saved before and after it is read', async ({
    skip,
  }) => {
    const disk = folderOfTest('full');
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16384', 'tmpfs', disk]);
    if (status !== 0) return skip('this process may mount no file system');
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    const upstream = await startUpstream(({ body }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(chatAnswer({ content: body.includes('long') ? 'x'.repeat(40_000) : 'Short.' }));
    });
    const file = await programFile(
      'agent.mjs',
      `for (const content of ['first', 'long', 'last']) {
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }) });
  console.log((await response.json()).choices[0].message.content.length);
}`,
    );
    const tape = join(disk, 'run.tape');
    const env = { OPENAI_BASE_URL: upstream.url };
    const args = ['record', '--no-open', '--save', tape, '--', process.execPath, file];
    const { code, out, err } = await startVitrine(args, { env }).ended;
    expect({ code, out }).toEqual({ code: 0, out: '6\n40000\n6\n' });
    expect(err).toContain('Not saved, too long or the disk is full: 1.');
    expect((await startVitrine(['show', tape]).ended).out).toMatch(/#1 .*"first".*\n.*#2 .*"last"/);
    const again = await startVitrine(['rerun', tape, '--', process.execPath, file]).ended;
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining('Request 2 differs at messages.0.text') as string,
    });
  });

  it('a secret that is in pieces of a stream is taken out of each API', () => {
    const pieces = [`key ${canary.slice(0, 12)}`, canary.slice(12), ' end'];
    const bodies = [
      pieces.map((partial_json) => ({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json },
      })),
      pieces.map((delta) => ({ type: 'response.output_text.delta', item_id: 'a', output_index: 0, delta })),
      pieces.map((text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] })),
    ];
    for (const events of bodies) {
      const body = events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');
      const safe = safeBody(body, 'text/event-stream');
      expect(safe).toContain('key ••• end');
      expect(safe).not.toMatch(/canary|mnop123456/);
      expect(safe.split('\n\n')).toHaveLength(4);
    }
    const plain = 'event: a\ndata: {"id":"x","delta":{"text":"Hello"}}\n\ndata: [DONE]\n\n';
    expect(safeBody(plain, 'text/event-stream')).toBe(plain);
  });
});
