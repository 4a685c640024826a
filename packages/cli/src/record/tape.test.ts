import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemEnv } from '@vitrine/core';
import { createSessionHub } from '@vitrine/core/internal/session/hub';
import { createRecorder, runsOf } from '@vitrine/inspect';
import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import { outline } from '../outline.ts';
import { readSessions, readTrace } from '../read-trace.ts';
import type { CopiedAnswer, CopiedRequest } from './copies.ts';
import { ExchangeReader } from './exchange-reader.ts';
import { recordTexts } from './record-texts.ts';
import { chatAnswer } from './recorded-programs.fixture.ts';
import { beginTape, KeptTape, linesInto, readTape, TapeWriter } from './tape.ts';

const secret = 'sk-canary-abcdefghijklmnop123456';

/** A program whose requests pass by a reader of the page and a writer of a tape. */
function recordedProgram() {
  const file = join(folderOfTest('tape'), 'run.tape');
  beginTape(file);
  const tape = new TapeWriter(linesInto(file));
  const hub = createSessionHub();
  const recorder = createRecorder({ hub });
  const page = new ExchangeReader(hub, systemEnv, { origin: performance.timeOrigin });
  let [at, count] = [1000, 0];
  const halves: (CopiedRequest | CopiedAnswer)[] = [];
  const pass = (half: CopiedRequest | CopiedAnswer): void => {
    halves.push(half);
    page.take(structuredClone(half));
    tape.take(half);
  };
  /** Sends a request; the returned function answers it. */
  const ask = (path: string, body: object, client = 'OpenAI SDK') => {
    const id = count++;
    const half = (given: string) => ({ id, at: (at += 10), bytes: Buffer.from(given), encoding: null });
    pass({ type: 'request', ...half(JSON.stringify(body)), method: 'POST', path, client });
    return (answer: string, { status = 200, cut = null as CopiedAnswer['cut'] } = {}): void => {
      const rest = { status, contentType: 'application/json', cut, firstAt: at + 5 };
      pass({ type: 'answer', ...half(answer), ...rest });
    };
  };
  const end = (exitCode: number): void => {
    page.close(recordTexts.programEnded(`exit code ${exitCode}`));
    tape.end(exitCode);
  };
  /** The sessions of the page: what each did, and when. */
  const shown = () =>
    hub.sources().map((source) => {
      const { state } = recorder.read(source);
      const { startedAt, completedAt } = state.execution!;
      return { name: source.name, did: outline(state), startedAt, completedAt };
    });
  return { file, tape, ask, end, shown, halves };
}

const user = (content: string) => ({ role: 'user', content });
const call = (id: string, args: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: JSON.stringify(args) } }],
});

/** Two conversations at once, a subagent of one, a failed answer and its second attempt, and secrets. */
function recordedTape(): ReturnType<typeof recordedProgram> {
  const program = recordedProgram();
  const { ask, end } = program;
  const chat = (...messages: object[]) => ask('/chat/completions', { model: 'm', messages });
  const main = [{ role: 'system', content: 'You are Looper.' }, user('Look it up')];
  const first = chat(...main);
  const overloaded = ask('/v1/messages', { model: 'c', messages: [user('Hello')] }, 'Anthropic SDK');
  const asked = call('c1', { task: 'find the weather', password: secret });
  first(chatAnswer(asked, 'tool_calls'));
  overloaded('{"error":{"message":"Overloaded"}}', { status: 529 });
  const below = chat(user('Please find the weather now'));
  const again = ask('/v1/messages', { model: 'c', messages: [user('Hello')] }, 'Anthropic SDK');
  below(chatAnswer({ content: 'It is 3 degrees.' }));
  const input = { password: secret, token: 'a' };
  const use = { type: 'tool_use', id: 't1', name: 'sign', input };
  const usage = { input_tokens: 1, output_tokens: 1 };
  again(JSON.stringify({ type: 'message', model: 'c', content: [use], stop_reason: 'tool_use', usage }));
  chat(...main, asked, { role: 'tool', tool_call_id: 'c1', content: 'It is 3 degrees.' })(
    chatAnswer({ content: `Cold, says ${secret}.` }),
  );
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'signed' };
  const messages = [
    user('Hello'),
    { role: 'assistant', content: [use] },
    { role: 'user', content: [result] },
  ];
  ask('/v1/messages', { model: 'c', messages }, 'Anthropic SDK')('', { status: 0, cut: 'program' });
  end(3);
  return program;
}

describe('a recording', () => {
  it('a recording is read into the sessions that its page shows, with their times', async () => {
    const { file, shown, tape } = recordedTape();
    expect(tape.unsaved).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('canary');
    const sessions = await readSessions(file);
    expect(
      sessions.map(({ name, record: { state } }) => {
        const { startedAt, completedAt } = state.execution!;
        return { name, did: outline(state), startedAt, completedAt };
      }),
    ).toEqual(shown());
    expect(sessions.map(({ name }) => name)).toEqual(['≈ Looper', 'Anthropic SDK']);
    expect(outline(sessions[0]!.record.state)).toContainEqual(
      expect.stringContaining('> step 1, answer: It is 3 degrees.'),
    );
    expect(sessions[1]!.record.state.execution!.stepExecutions).toHaveLength(2);
    expect(Math.abs(sessions[0]!.exportedAt - performance.timeOrigin)).toBeLessThan(2);
  });

  it('a session is named behind the file, and the error for another one says how many there are', async () => {
    const { file } = recordedTape();
    expect((await readTrace(`${file}#2`)).name).toBe('Anthropic SDK');
    expect(JSON.parse((await readTrace(`${file}#1`)).text())).toMatchObject({ format: 'vitrine-trace' });
    await expect(readTrace(`${file}#3`)).rejects.toThrow(`${file} has no session 3; it has 2.`);
    await expect(readTrace(file)).rejects.toThrow(`${file} holds 2 sessions. Name one: ${file}#1.`);
    const { file: empty, end } = recordedProgram();
    end(0);
    await expect(readTrace(empty)).rejects.toThrow('holds no conversation with a model');
  });

  it('a recording that was cut in its last line is read as far as it goes', async () => {
    const { file } = recordedTape();
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, whole.lastIndexOf('\n{"exitCode"') - 20));
    const sessions = await readSessions(file);
    expect(sessions.map(({ record }) => runsOf(record)).flat()).toHaveLength(2);
    expect(sessions[1]!.about).toContain('Its last line is not whole, so it is read as far as it goes');
    expect(readTape(file)).toMatchObject({ isCut: true, exitCode: null });
    writeFileSync(file, whole.trimEnd());
    expect(readTape(file)).toMatchObject({ isCut: false, exitCode: 3 });
  });

  it('a recording that nobody saved is kept up to a size, and then told as too long', () => {
    const { halves, file } = recordedTape();
    const kept = new KeptTape();
    for (const half of halves) kept.take(half);
    const origin = performance.timeOrigin;
    expect(kept.text(origin, 3)).toBe(readFileSync(file, 'utf8'));
    expect(kept.text(origin, null)).not.toContain('exitCode');
    kept.take({ ...halves[0]!, bytes: new Uint8Array(32 * 2 ** 20) });
    expect(kept.text(origin, 3)).toBeNull();
    const withoutBody = new KeptTape();
    withoutBody.take({ ...halves[0]!, bytes: null });
    withoutBody.take(halves[0]!);
    expect(withoutBody.text(origin, 0)).toBeNull();
  });

  it('a recording of another version and a line that is no exchange are told in a sentence', async () => {
    const { file } = recordedTape();
    const whole = readFileSync(file, 'utf8');
    const [, entry = ''] = whole.split('\n');
    for (const [text, sentence] of [
      [whole.replace('"version":1', '"version":2'), 'it is of version 2; this vitrine reads version 1.'],
      [whole.replace('"version":1,', ''), 'it is of version undefined'],
      [whole.replace('"origin":', '"origin":"soon","was":'), 'its first line has no time.'],
      [whole.replace(entry, '{"a":'), 'line 2 is no exchange.'],
      [whole.replace(entry, entry.replace('"messages":[{', '"messages":[3,{')), 'line 2 is no exchange.'],
      [whole.replace(entry, entry.replace('"times":[', '"times":[null,')), 'line 2 is no exchange.'],
    ] as const) {
      writeFileSync(file, text);
      await expect(readSessions(file)).rejects.toThrow(`${file} cannot be read: `);
      await expect(readSessions(file)).rejects.toThrow(sentence);
    }
  });
});
