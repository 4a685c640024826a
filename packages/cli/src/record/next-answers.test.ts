import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { AgentState } from '@vitrine/core';
import { createSessionHub } from '@vitrine/core/internal/session/hub';
import { localChannel, watchSessions } from '@vitrine/inspect';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  chatAnswer,
  programFile,
  start,
  startRecording,
  startUpstream,
} from './recorded-programs.fixture.ts';

const canary = 'sk-canary-abcdefghijklmnop123456';
const json = { 'content-type': 'application/json' };
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"city":"Oslo"}' } };

/** A loop of a call and its result, in plain JavaScript. */
const loop = `
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY };
const messages = [{ role: 'system', content: 'You are Looper.' }, { role: 'user', content: 'Weather? password=${canary}' }];
for (;;) {
  const body = JSON.stringify({ model: 'm', messages });
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body });
  const { choices: [{ message }] } = await response.json();
  messages.push(message);
  if (!message.tool_calls) break;
  for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: '{"degrees": 3}' });
}
`;

type Told = { readonly id: string; readonly failure?: string; readonly parts?: readonly object[] };

/** Records the loop, and connects a page that may ask for next answers. */
async function recordLoop(later: (response: ServerResponse, body: string) => void) {
  let isRecorded = false;
  const upstream = await startUpstream(({ body }, response) => {
    if (isRecorded) return later(response, body);
    response.writeHead(200, json);
    if (body.includes('"tool"')) response.end(chatAnswer({ content: 'Cold.' }));
    else response.end(chatAnswer({ content: null, tool_calls: [call] }, 'tool_calls'));
  });
  const tape = await programFile('run.tape', '');
  const recording = await startRecording(['--to', `openai=${upstream.url}`, '--save', tape]);
  const hub = createSessionHub();
  const told: Told[] = [];
  let sent = '';
  const channel = localChannel(recording.page);
  let post = (_message: unknown): void => undefined;
  onTestFinished(
    watchSessions(
      {
        open(onMessage) {
          const line = channel.open((message) => {
            sent += JSON.stringify(message);
            const { recorder } = message as { readonly recorder?: Told };
            if (recorder?.id !== undefined) told.push(recorder);
            else if (recorder === undefined) onMessage(message);
          });
          post = line.post;
          return line;
        },
      },
      { hub },
    ),
  );
  const env = { OPENAI_BASE_URL: recording.base('openai'), OPENAI_API_KEY: canary };
  await start(process.execPath, [await programFile('agent.mjs', loop)], { env }).ended;
  const state = (): AgentState | undefined => hub.sources()[0]?.journal.state();
  await expect.poll(() => state()?.execution?.status, { timeout: 60_000 }).toBe('completed');
  isRecorded = true;
  const inferenceId = AgentState.lastStep(state()!)!.sent!.inferenceId;
  const calls = upstream.seen.length;
  let asked = 0;
  const ask = async (change: object | null, of = inferenceId): Promise<Told> => {
    const id = `n${asked++}`;
    post({ recorder: { next: { id, inferenceId: of, change } } });
    const find = (): Told | undefined => told.find((one) => one.id === id);
    await expect.poll(find, { timeout: 60_000 }).toBeDefined();
    return find()!;
  };
  const allow = (allowed: number): void => post({ recorder: { allow: allowed } });
  const end = async (): Promise<string> => {
    recording.child.kill('SIGTERM');
    const { err } = await recording.ended;
    return `${err}${sent}${readFileSync(tape, 'utf8')}`;
  };
  return { upstream, ask, allow, end, asked: () => upstream.seen.length - calls };
}

const result = { of: 'result', before: { degrees: 3 }, after: { degrees: 30 } };

describe('the next answer to a recorded request', { timeout: 120_000 }, () => {
  it('a changed result, prompt or message is sent with the key of the program, which is shown nowhere', async () => {
    const { upstream, ask, allow, end } = await recordLoop((response, body) =>
      response.writeHead(200, json).end(chatAnswer({ content: body.includes('30') ? 'Hot.' : 'Cold.' })),
    );
    allow(3);
    expect(await ask(result)).toMatchObject({
      parts: [{ type: 'text', text: 'Hot.' }],
      finishReason: 'stop',
    });
    const [, before, after] = upstream.seen;
    expect(after!.headers.authorization).toBe(`Bearer ${canary}`);
    expect(after!.body).toBe(before!.body.replace('{\\"degrees\\": 3}', '{\\"degrees\\":30}'));
    const prompt = { of: 'system', before: 'You are Looper.', after: 'You are Poet.' };
    expect(await ask(prompt)).toMatchObject({ parts: [{ text: 'Cold.' }] });
    expect(upstream.seen[3]!.body).toBe(before!.body.replace('Looper', 'Poet'));
    expect(await ask(null)).toMatchObject({ parts: [{ text: 'Cold.' }] });
    expect(upstream.seen[4]!.body).toBe(before!.body);
    expect(await end()).not.toContain('canary');
  });

  it('a page asks for no request but a recorded one, with a change of a text in it', async () => {
    const { ask, allow, asked } = await recordLoop((response) => response.end());
    allow(9);
    const noPlace = { failure: 'The request has no such text in one place, so it was not sent.' };
    expect(await ask({ ...result, before: { degrees: 4 } })).toMatchObject(noPlace);
    expect(await ask({ of: 'system', before: 'm', after: 'other-model' })).toMatchObject(noPlace);
    const question = { of: 'message', before: 'Weather? password=•••', after: 'Wind?' };
    expect(await ask(question)).toMatchObject({
      failure: expect.stringContaining('holds a secret') as string,
    });
    expect(await ask(null, 'no-such-call')).toMatchObject({
      failure: expect.stringContaining('is not kept') as string,
    });
    expect(asked()).toBe(0);
  });

  it('a call above the allowed number is not made, and what the provider says instead is a sentence', async () => {
    let answer = (response: ServerResponse): void => void response.writeHead(401, json).end('{}');
    const { ask, allow, asked } = await recordLoop((response) => answer(response));
    const used = { failure: 'The calls that you allowed are used up.' };
    expect(await ask(result)).toMatchObject(used);
    allow(1);
    expect(await ask(result)).toMatchObject({
      failure: expect.stringContaining('refused the key of the last request of the program (401)') as string,
    });
    answer = (response) => void response.writeHead(200, json).end('nonsense');
    allow(2);
    const told = await Promise.all([1, 2, 3, 4, 5].map(() => ask(result)));
    const unread = { failure: 'The answer could not be read.' };
    expect(told).toMatchObject([unread, unread, used, used, used]);
    expect(asked()).toBe(3);
    answer = (response) => void response.socket!.destroy();
    allow(1);
    expect(await ask(result)).toMatchObject({ failure: expect.stringContaining('no answer from') as string });
  });
});
