import { afterEach, describe, expect, it, vi } from 'vitest';
import { assistant, user } from '@vitrine/core/internal/graph/message';
import type { InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import { normalizeInferenceEvent } from '@vitrine/core/internal/model/normalize-inference-event';
import { fromLanguageModel } from './from-language-model.ts';
import { toModelPrompt } from './model-prompt.ts';

const usage = { inputTokens: { total: 3 }, outputTokens: { total: 2 } };

/** The events of an answer that finishes, without its finish. */
async function eventsOf(parts: readonly object[]): Promise<InferenceEvent[]> {
  const events = await allEventsOf([...parts, { type: 'finish', finishReason: { unified: 'stop' }, usage }]);
  return events.slice(0, -1);
}

async function allEventsOf(parts: readonly object[]): Promise<InferenceEvent[]> {
  const stream = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const model = { provider: 'test', modelId: 'm', doStream: async () => ({ stream }) };
  const request = {
    model: null,
    messages: [],
    tools: [],
    toolChoice: 'auto' as const,
    responseFormat: null,
    settings: {},
  };
  const events: InferenceEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of fromLanguageModel(model).stream(request, { signal })) events.push(event);
  return events;
}

describe('the inference client of a language model', () => {
  it("fromLanguageModel keeps parts of text and reasoning apart, with the provider's metadata", async () => {
    const providerMetadata = { google: { signature: 's' } };
    const events = await eventsOf([
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
      { type: 'reasoning-end', id: 'r', providerMetadata },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Hel', providerMetadata },
      { type: 'text-delta', id: '1', delta: 'lo' },
      { type: 'text-end', id: '1' },
      { type: 'text-end', id: '0', providerMetadata },
    ]);

    expect(events).toStrictEqual([
      { type: 'reasoning-delta', partId: 'r', delta: 'Hm' },
      {
        type: 'reasoning-delta',
        partId: 'r',
        delta: '',
        providerMetadata: { ...providerMetadata, vitrine: { model: 'm' } },
      },
      { type: 'text-delta', partId: '0', delta: 'Hel', providerMetadata },
      { type: 'text-delta', partId: '1', delta: 'lo' },
      { type: 'text-delta', partId: '0', delta: '', providerMetadata },
    ]);
    expect(events.map(normalizeInferenceEvent)).toStrictEqual(events);
  });

  it('an answer that ends without a finish has broken off, unless a frame of it was left out', async () => {
    const said = { type: 'text-delta', id: '0', delta: 'Hello' };
    const unread = {
      type: 'error',
      error: Object.assign(new Error('no JSON'), { name: 'AI_JSONParseError' }),
    };
    expect((await allEventsOf([said])).at(-1)).toMatchObject({ type: 'error', code: 'stream-incomplete' });
    expect((await allEventsOf([said, unread])).at(-1)).toMatchObject({ type: 'finish', skippedFrames: 1 });
    expect((await allEventsOf([unread])).at(-1)).toMatchObject({ type: 'error', code: 'stream-malformed' });
  });

  it("fromLanguageModel passes on the provider's metadata of calls and files", async () => {
    const providerMetadata = { openai: { itemId: 'i' } };
    const events = await eventsOf([
      { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{"q":1}', providerMetadata },
      { type: 'file', mediaType: 'image/png', data: new Uint8Array([1]), providerMetadata },
    ]);

    expect(events).toStrictEqual([
      { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: { q: 1 }, providerMetadata },
      { type: 'file', mediaType: 'image/png', data: 'AQ==', filename: null, providerMetadata },
    ]);
  });
});

describe('the prompt of a language model', () => {
  it('toModelPrompt sends files by URL, as data or not at all, and never fails', () => {
    const file = { type: 'file', mediaType: 'image/png', filename: null } as const;
    const prompt = toModelPrompt([
      user([
        { ...file, url: 'https://a.example/a.png' },
        { ...file, data: 'AA==', filename: 'a.png' },
        { ...file, url: '/uploads/a.png', filename: 'b.png' },
        { ...file, blob: { hash: 'ab'.repeat(32), size: 3 } },
      ]),
    ]);

    expect(prompt).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'url', url: new URL('https://a.example/a.png') },
          },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' }, filename: 'a.png' },
          { type: 'text', text: '[The file b.png is not available.]' },
          { type: 'text', text: '[A file of type image/png is not available.]' },
        ],
      },
    ]);
  });
});

it('blank texts are not sent, because providers reject them: an answer stopped at its first line break, a file with a blank beside it', () => {
  const file = { type: 'file', mediaType: 'image/png', filename: null, data: 'AA==' } as const;
  const signed = { type: 'text', text: '', providerMetadata: { google: { thoughtSignature: 's' } } } as const;
  const prompt = toModelPrompt([
    user([{ type: 'text', text: ' ' }, file]),
    assistant([{ type: 'text', text: '\n\n' }]),
    user('Go on'),
    assistant([signed, { type: 'text', text: ' Well ' }]),
  ]);

  expect(prompt.map(({ role, content }) => [role, [content].flat().length])).toEqual([
    ['user', 1],
    ['user', 1],
    ['assistant', 2],
  ]);
  expect(prompt[2]?.content[1]).toEqual({ type: 'text', text: ' Well ' });
});

describe('a provider that fails', () => {
  async function failing(error: unknown): Promise<{ events: InferenceEvent[]; told: unknown[] }> {
    const told: unknown[] = [];
    const events: InferenceEvent[] = [];
    const model = { provider: 'test', modelId: 'm', doStream: () => Promise.reject(error) };
    const { signal } = new AbortController();
    const asked = { model: null, messages: [], tools: [], toolChoice: 'auto' as const };
    const call = { signal, onError: (thrown: unknown) => told.push(thrown) };
    const request = { ...asked, responseFormat: null, settings: {} };
    for await (const event of fromLanguageModel(model).stream(request, call)) events.push(event);
    return { events, told };
  }

  it.each([
    [401, '', 'upstream-unauthorized', false],
    [402, '', 'upstream-quota-exhausted', false],
    [429, '{"error":{"code":"insufficient_quota"}}', 'upstream-quota-exhausted', false],
    [400, 'Your credit balance is too low', 'upstream-quota-exhausted', false],
    [429, '{"error":{"code":"rate_limit_exceeded"}}', 'upstream-rate-limited', true],
    [404, '', 'upstream-unknown-model', false],
    [503, 'insufficient_quota', 'upstream-unavailable', true],
    [400, 'too long', 'upstream-invalid-request', false],
  ])(
    'a provider error %d (%s) becomes %s, and the original error is reported to onError',
    async (statusCode, responseBody, code, retryable) => {
      const error = Object.assign(new Error('sk-canary'), { statusCode, responseBody });
      const { events, told } = await failing(error);
      expect(events).toMatchObject([{ type: 'error', code, retryable }]);
      expect(JSON.stringify(events)).not.toContain('canary');
      expect(told).toEqual([error]);
    },
  );

  const tooLong = 'This model takes 8192 tokens. Your key is sk-live-abcdefgh1234.';
  const bodies: readonly (readonly [string, string])[] = [
    [
      JSON.stringify({ error: { message: tooLong, code: 'context_length_exceeded' } }),
      'context_length_exceeded',
    ],
    [
      JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: tooLong } }),
      'invalid_request_error',
    ],
    [
      JSON.stringify([{ error: { code: 400, status: 'INVALID_ARGUMENT', message: tooLong } }]),
      'INVALID_ARGUMENT',
    ],
  ];
  const refused = (responseBody: string): Error =>
    Object.assign(new Error('no'), { statusCode: 400, responseBody });

  afterEach(() => vi.unstubAllEnvs());

  it.each(bodies)(
    'the code in the body %s is in the message, and its sentence only in development',
    async (body, code) => {
      const what = `The model provider did not accept the request (status 400, ${code}).`;
      for (const [mode, message] of [
        ['production', what],
        ['test', what],
        [undefined, what],
        ['development', `${what} The provider said: This model takes 8192 tokens. Your key is •••.`],
      ] as const) {
        vi.stubEnv('NODE_ENV', mode);
        expect((await failing(refused(body))).events).toMatchObject([{ message, status: 400 }]);
      }
    },
  );

  it('a body whose code could be a secret, and a web page, are told by their status alone', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const what = 'The model provider did not accept the request (status 400).';
    for (const body of ['{"error":{"code":"org-7f3a9c51"}}', '<html>Bad request</html>', '{"error":{}}', ''])
      expect((await failing(refused(body))).events).toMatchObject([{ message: what }]);
  });

  const network = (code: string): Error => new TypeError('fetch failed', { cause: { code } });

  it.each([
    [network('ECONNREFUSED'), 'upstream-unreachable', 'The model provider cannot be reached.'],
    [network('DEPTH_ZERO_SELF_SIGNED_CERT'), 'upstream-unreachable', 'The model provider cannot be reached.'],
    [
      network('ECONNRESET'),
      'stream-incomplete',
      'The connection to the model provider was lost before it answered.',
    ],
    [network('UND_ERR_HEADERS_TIMEOUT'), 'upstream-timeout', 'The model provider sent nothing for too long.'],
  ])('the network error %o of a call is told as %s', async (error, code, message) => {
    expect((await failing(error)).events).toMatchObject([{ code, message, retryable: true }]);
  });
});
