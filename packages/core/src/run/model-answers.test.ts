import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentInit } from '../agent/agent-definition.ts';
import { defineHook } from '../agent/hook.ts';
import * as AgentState from './agent-state.ts';
import * as AgentStep from '../graph/agent-step.ts';
import { systemEnv } from '../graph/env.ts';
import { ofCall } from '../graph/tool-execution.ts';
import type { FinishReason } from '../graph/inference-response.ts';
import { of as usageOf } from '../graph/usage.ts';
import type { InferenceEvent } from '../model/inference-client.ts';
import { expectRun } from '@vitrine/testing/internal/expect-run';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { retryDelay } from '../features/retries.ts';
import { finalOutput } from '../agent/final-output.ts';

describe('an answer without text', () => {
  it.each<[FinishReason, string]>([
    ['error', 'inference-failed'],
    ['content-filter', 'content-filtered'],
    ['length', 'output-truncated'],
  ])('an answer without text that ends with %s fails the run', async (finishReason, code) => {
    for (const text of ['', ' \n']) {
      const { state } = await expectRun([{ text, finishReason, usage: { inputTokens: 3 } }]).toEnd(
        'failed',
        'error-forbade',
        { steps: 1, tokens: 3 },
      );
      expect(AgentState.errors(state)).toMatchObject([{ code }]);
      expect(AgentState.hasFinalResponse(state)).toBe(false);
    }
  });

  it('an explanation of the provider is stored with secrets masked', async () => {
    const explanation =
      'Blocked for Bearer sk-live-1234567890abcdef at https://a:secret@example.com/?key=hidden';
    const { state } = await expectRun([{ text: '', finishReason: 'content-filter', explanation }]).toEnd(
      'failed',
      'error-forbade',
    );
    expect(AgentState.steps(state)[0]?.inferenceResponse?.explanation).toContain('Blocked for Bearer');
    expect(JSON.stringify(AgentState.toJSON(state))).not.toMatch(/1234567890|a:secret|hidden/);
  });

  const format = { responseFormat: z.object({ n: z.number() }) };

  it.each<FinishReason>(['stop', 'length', 'content-filter'])(
    'an empty answer under a response format that ends with %s is asked for once more',
    async (finishReason) => {
      const script = [{ text: ' ', finishReason }, { text: '{"n":1}' }];
      const { state, requests } = await expectRun(script, format).toEnd('completed', 'completed', {
        steps: 2,
      });
      expect(AgentState.finalResponse(state)).toBe('{"n":1}');
      expect(requests[1]?.messages.at(-1)).toMatchObject({
        role: 'user',
        parts: [{ text: expect.stringContaining('empty') }],
      });
    },
  );

  it.each<[FinishReason, string]>([
    ['stop', 'output-invalid'],
    ['length', 'output-truncated'],
    ['content-filter', 'content-filtered'],
  ])(
    'a second empty answer under a response format that ends with %s fails the run',
    async (finishReason, code) => {
      const { state } = await expectRun([{ text: '', finishReason }], format).toEnd(
        'failed',
        'error-forbade',
        {
          steps: 2,
        },
      );
      expect(AgentState.errors(state)).toMatchObject([{ code }]);
    },
  );

  it('an empty answer fails the run at once where the agent allows no retry of its output', async () => {
    const retry = { maxOutputRetries: 0 };
    await expectRun([{ text: '' }], { ...format, retry }).toEnd('failed', 'error-forbade', { steps: 1 });
  });

  it('an answer without text that ends on its own completes without a final response', async () => {
    const { state } = await expectRun([{ text: '' }]).toEnd('completed', 'completed', { steps: 1 });
    expect(AgentState.hasFinalResponse(state)).toBe(false);
  });

  it('an empty answer leaves no message once it has ended', async () => {
    const roles: string[][] = [];
    const { state } = await expectRun(
      [{ text: '' }],
      {},
      {
        onEvent: ({ type }, after) => {
          if (type === 'inference-end') roles.push(AgentState.messages(after).map(({ role }) => role));
        },
      },
    ).toEnd('completed', 'completed');
    expect(roles).toEqual([['user']]);
    expect(AgentState.messages(state).map(({ role }) => role)).toEqual(['user']);
  });
});

describe('an answer that was cut', () => {
  it('an answer cut by its length completes and is marked', async () => {
    const { state } = await expectRun([{ text: 'Half an', finishReason: 'length' }]).toEnd(
      'completed',
      'completed',
      {
        text: 'Half an',
      },
    );
    expect(AgentState.messages(state).at(-1)?.metadata).toMatchObject({ truncated: true });
  });

  it('an answer cut by a stop is no final response, keeps its type and is marked as interrupted', async () => {
    const controller = new AbortController();
    const { state } = await expectRun(
      [{ text: 'abcdef', chunks: 6, delayMs: 1 }],
      {},
      {
        signal: controller.signal,
        onEvent: (event) => event.type === 'text-delta' && event.delta === 'c' && controller.abort(),
      },
    ).toEnd('stopped', 'user-requested', { steps: 1, text: '' });
    const step = AgentState.lastStep(state)!;
    expect(AgentState.hasFinalResponse(state)).toBe(false);
    expect([AgentStep.type(step), AgentStep.isInterrupted(step)]).toEqual(['final-response', true]);
    expect(AgentState.currentResponse(state)).toBe('abc');
  });

  it('an answer cut after a tool call keeps its text, without the unanswered call', async () => {
    const controller = new AbortController();
    const { state } = await expectRun(
      [{ text: 'Let me see.', toolCalls: [{ name: 'look', input: {} }] }],
      { tools: [fakeTool('look', 'seen')] },
      {
        signal: controller.signal,
        onEvent: ({ type }) => type === 'tool-call' && controller.abort(),
      },
    ).toEnd('stopped', 'user-requested', { steps: 1 });
    expect(AgentState.messages(state).at(-1)).toMatchObject({
      parts: [{ type: 'text', text: 'Let me see.' }],
      metadata: { incomplete: true },
    });
  });
});

describe('an answer that streams', () => {
  const streaming = (...events: Partial<InferenceEvent>[]): Partial<AgentInit> => ({
    inference: {
      async *stream(): AsyncGenerator<InferenceEvent> {
        yield* events as InferenceEvent[];
      },
    },
  });
  const finish = {
    type: 'finish',
    finishReason: 'stop',
    usage: usageOf({ inputTokens: 1, outputTokens: 1 }),
  } as const;
  const text = (delta: string): Partial<InferenceEvent> => ({ type: 'text-delta', delta });

  it('an answer that streams keeps the text before and after another part in separate parts', async () => {
    const source = { type: 'source', id: 's', url: 'https://example.com/', title: null } as const;
    const deltas = [text('a'), text('b'), source, text('c'), text('d'), finish];
    const { state } = await expectRun([], streaming(...deltas)).toEnd('completed', 'completed');
    expect(AgentState.messages(state).at(-1)?.parts).toMatchObject([
      { text: 'ab' },
      { type: 'source' },
      { text: 'cd' },
    ]);
  });

  it('an answer that streams ends with its finish event, and later events are ignored', async () => {
    const more = { ...finish, usage: usageOf({ inputTokens: 100 }) };
    await expectRun([], streaming(text('Done'), finish, text(' and more'), more)).toEnd(
      'completed',
      'completed',
      { text: 'Done', tokens: 2 },
    );
  });

  it('an answer that streams contains nothing that its step held before the model call', async () => {
    const call = ofCall({ id: systemEnv.id(), name: 'look', input: {}, providerCallId: null });
    const step = AgentStep.of({ toolExecutions: [call] });
    const state = AgentState.withCurrentStep(AgentState.withExecutionStatus(ask(), 'in-progress'), step);
    const end = await expectRun([{ error: new Error('gone') }], {}, { state }).toEnd(
      'failed',
      'error-forbade',
      { steps: 1 },
    );
    expect(AgentState.lastStep(end.state)?.toolExecutions).toEqual([]);
  });

  it('an answer that has begun is not requested again', async () => {
    const script = [{ text: 'Half an', error: { message: 'busy', retryable: true } }, { text: 'Whole' }];
    const retry = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1 };
    await expectRun(script, { retry }).toEnd('failed', 'error-forbade', { steps: 1, modelCalls: 1 });
  });
});

describe('an answer that is data', () => {
  const responseFormat = z.object({ n: z.number() });

  it.each(['```json\n{"n":3}\n```', '```\n{"n":3}\n```', ' ```JSON\n{"n":3}```\n', '{"n":3}'])(
    'an answer as data may be in a Markdown fence: %j',
    async (text) => {
      const { state } = await expectRun([{ text }], { responseFormat }).toEnd('completed', 'completed', {
        steps: 1,
        modelCalls: 1,
      });
      expect(finalOutput(state, responseFormat)).toEqual({ n: 3 });
    },
  );

  it('an answer as data may be sent back in every run, however many attempts earlier runs took', async () => {
    const script = ['nope', '{"n":1}', 'nope', '{"n":2}'].map((text) => ({ text }));
    const agent = scriptedAgent(script, { responseFormat, retry: { maxOutputRetries: 1 } });
    const { state } = await expectRun(agent).toEnd('completed', 'completed', { steps: 2 });
    const next = AgentState.withUserMessage(state, 'Again');
    const end = await expectRun(agent, {}, { state: next }).toEnd('completed', 'completed', { steps: 2 });
    expect(finalOutput(end.state, responseFormat)).toEqual({ n: 2 });
  });

  it('an answer as data that never fits ends the run with its issues', async () => {
    const { state } = await expectRun([{ text: '```json\n{}\n```' }], { responseFormat }).toEnd(
      'stopped',
      'retry-limit-reached',
      { modelCalls: 3 },
    );
    expect(AgentState.errors(state)[0]).toMatchObject({ code: 'output-invalid' });
    expect(AgentState.errors(state)[0]?.message).toContain('n:');
  });
});

describe('the wait before another attempt', () => {
  const retry = { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 1000 };
  const waits = async (random: number, retryAfterMs = 0): Promise<number[]> => {
    const asks: number[] = [];
    const env = {
      ...fixedEnv(),
      random: () => random,
      schedule: (ms: number, f: () => void) => {
        asks.push(ms);
        const timer = setTimeout(f, 0);
        return () => clearTimeout(timer);
      },
    };
    const { events } = await expectRun(
      [{ error: { message: 'busy', retryable: true, retryAfterMs } }],
      { retry, hookTimeoutMs: Infinity },
      { env, state: ask('Hello', env) },
    ).toEnd('stopped', 'retry-limit-reached', { modelCalls: 3 });
    const told = events.flatMap((event) => (event.type === 'inference-retry' ? [event.delayMs] : []));
    expect(asks).toEqual(told);
    return told;
  };

  it('the wait before a retry uses the randomness and the timer of the Env', async () => {
    expect(await waits(0)).toEqual([50, 100]);
    expect(await waits(0.5)).toEqual([75, 150]);
    expect(await waits(1)).toEqual([100, 200]);
  });

  it('the wait before a retry follows the upstream, up to a minute', async () => {
    expect(await waits(0, 5000)).toEqual([5000, 5000]);
    expect(await waits(0, 7_200_000)).toEqual([60_000, 60_000]);
  });

  it('the wait before a retry doubles up to its limit, and is never shorter than requested', () => {
    const policy = { ...retry, maxOutputRetries: 0 };
    expect([1, 2, 3, 9].map((attempt) => retryDelay(policy, attempt, 0, () => 1))).toEqual([
      100, 200, 400, 1000,
    ]);
    expect(retryDelay(policy, 1, 5000, () => 0)).toBe(5000);
  });
});

describe('thrown values of a run', () => {
  const broken = {
    get message(): string {
      throw new Error('getter');
    },
    get name(): string {
      throw new Error('getter');
    },
  };
  const refused = Promise.reject(new Error());
  refused.catch(() => undefined);
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['an empty text', ''],
    ['an object whose getters throw', broken],
    [
      'a proxy that refuses everything',
      new Proxy(
        {},
        {
          get: () => refused,
          getPrototypeOf: () => {
            throw new Error('no');
          },
        },
      ),
    ],
  ])(
    'a thrown value (%s) becomes an error of the run, from the model and from a hook',
    async (_what, thrown) => {
      const inference = {
        // oxlint-disable-next-line require-yield -- it throws before its first event
        async *stream(): AsyncGenerator<never> {
          throw thrown;
        },
      };
      const hook = defineHook({ name: 'h', on: 'before-step', run: () => Promise.reject(thrown) });
      for (const init of [{ inference }, { hooks: [hook] }]) {
        const { state } = await expectRun([{ text: 'x' }], init).toEnd('failed', 'error-forbade');
        expect(AgentState.errors(state)).toHaveLength(1);
        expect(AgentState.errors(state)[0]?.message).not.toBe('');
        expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
      }
    },
  );
});
