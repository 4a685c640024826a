import {
  AgentState,
  defineAgent,
  defineTool,
  type InferenceEvent,
  type InferenceRequest,
  runAgent,
} from '@vitrine/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { redactRequests } from './redact-requests.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);
const mail = /[a-z.]+@[a-z]+\.ch/g;
const detect = (text: string) => [...text.matchAll(mail)].map(([value]) => ({ kind: 'email', value }));

/** A model that looks its words up in `answer`, cut at the given places, and keeps what it was asked. */
function modelOf(
  answer: (step: number, text: string) => { text?: string; call?: unknown },
  cuts: readonly number[],
) {
  const requests: InferenceRequest[] = [];
  const pieces = (text: string): readonly string[] => {
    const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
    return [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length));
  };
  async function* stream(request: InferenceRequest): AsyncGenerator<InferenceEvent> {
    requests.push(request);
    const { text = '', call } = answer(requests.length - 1, JSON.stringify(request.messages));
    yield { type: 'start', id: 'r', model: null };
    for (const delta of pieces(text)) yield { type: 'text-delta', delta };
    if (call !== undefined) {
      yield { type: 'tool-call-start', toolCallId: 'c', toolName: 'send' };
      for (const delta of pieces(JSON.stringify(call)))
        yield { type: 'tool-call-delta', toolCallId: 'c', delta };
      yield { type: 'tool-call', toolCallId: 'c', toolName: 'send', input: call as never };
    }
    yield {
      type: 'finish',
      finishReason: call === undefined ? 'stop' : 'tool-calls',
      usage: { isExact: true } as never,
    };
  }
  return { requests, inference: { stream } };
}

const words = fc.array(
  fc.constantFrom(
    'ann@post.ch',
    'bo.b@post.ch',
    'b@post.ch',
    ' [',
    ']',
    '[EMAIL_',
    'and "',
    '\\',
    '\n',
    '行',
  ),
  { maxLength: 12 },
);
const send = defineTool({
  name: 'send',
  description: 'Sends',
  input: z.looseObject({}),
  execute: (given) => ({ given, 'carl@post.ch': 'dora@post.ch' }),
});

describe('requests that are redacted', () => {
  it('a request lacks each hidden value, and answers, arguments and results have it back, wherever deltas are cut', async () => {
    await fc.assert(
      fc.asyncProperty(words, fc.array(fc.nat(400), { maxLength: 30 }), async (list, cuts) => {
        const question = `Write: ${list.join('')}`;
        const names = (text: string): string =>
          [...text.matchAll(/\[EMAIL_[0-9a-z]+\]/g)].map(([name]) => name).join(' [x] ');
        let asked = '';
        const { requests, inference } = modelOf((step, text) => {
          if (step > 0) return { text: asked };
          asked = `So: ${names(text)}.`;
          return { text: asked, call: { [asked]: [asked, 7] } };
        }, cuts);
        const { state, text } = await runAgent(
          defineAgent({ inference, tools: [send], plugins: [redactRequests({ detect })] }),
          question,
        );
        expect(requests).toHaveLength(2);
        for (const request of requests) expect(JSON.stringify(request)).not.toMatch(mail);
        const known = detect(question).map(({ value }) => value);
        const answer = `So: ${known.join(' [x] ')}.`;
        expect(text).toBe(answer);
        const [step] = AgentState.steps(state);
        expect(step?.toolExecutions[0]?.toolCall.input).toEqual({ [answer]: [answer, 7] });
        expect(step?.toolExecutions[0]?.result).toMatchObject({ given: { [answer]: [answer, 7] } });
      }),
      { numRuns },
    );
  });

  it('a value has the same name in every request of a session, and another one elsewhere', async () => {
    const seen: string[] = [];
    const { inference } = modelOf((step, text) => {
      seen.push(/\[EMAIL_[0-9a-z]+\]/.exec(text)?.[0] ?? '');
      return step % 2 === 0 ? { call: {} } : { text: 'Sent.' };
    }, []);
    const agent = defineAgent({
      inference,
      tools: [send],
      plugins: [redactRequests({ detect, restore: false })],
    });
    await runAgent(agent, 'Write to ann@post.ch');
    await runAgent(agent, 'Write to ann@post.ch');
    expect(seen[0]).toMatch(/^\[EMAIL_/);
    expect(seen[1]).toBe(seen[0]);
    expect(seen[2]).not.toBe(seen[0]);
  });

  it('a redactor that throws or answers wrongly sends nothing and says nothing of the text', async () => {
    const wrong = [() => Promise.resolve([]), () => [{ kind: 'email', value: '' }], () => null];
    const throwing = (text: string): never => {
      throw new Error(text);
    };
    for (const bad of [throwing, ...wrong]) {
      const { requests, inference } = modelOf(() => ({ text: 'Hi.' }), []);
      const { state } = await runAgent(
        defineAgent({ inference, plugins: [redactRequests({ detect: bad as never })] }),
        'I am ann@post.ch',
      );
      expect(requests).toEqual([]);
      expect(AgentState.status(state)).toBe('failed');
      const errors = JSON.stringify(AgentState.errors(state));
      expect(errors).toContain('so the request was not sent');
      expect(errors).not.toContain('ann@post.ch');
    }
  });
});
