import { describe, expect, it } from 'vitest';
import { attacked, canaries, codeOf, conversation, failureOf, saying } from './attacked-proxy.ts';

const deep = (levels: number): string =>
  `{"messages":[{"role":"user","parts":[{"type":"tool-call","toolCallId":"1","toolName":"t","input":${'['.repeat(levels)}${']'.repeat(levels)}}]}]}`;

describe('headers of a visitor', () => {
  const world = attacked();

  it.each([
    'cookie',
    'authorization',
    'x-api-key',
    'api-key',
    'x-goog-api-key',
    'openai-organization',
    'openai-project',
    'anthropic-version',
    'anthropic-beta',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'forwarded',
    'x-real-ip',
    'via',
    'proxy-authorization',
    'x-http-method-override',
    'x-amz-security-token',
    'x-stainless-helper',
    'user-agent',
    'referer',
    'accept-language',
    'last-event-id',
    'traceparent',
    'baggage',
  ])('%s do not reach the provider', async (header) => {
    const answer = await world.ask({}, { [header]: canaries.cookie, origin: 'http://localhost' });
    expect(answer.status).toBe(200);
    const [sent] = world.provider.sent;
    expect(JSON.stringify([sent?.path, sent?.headers, sent?.body])).not.toContain(canaries.cookie);
    expect(sent?.headers.authorization).toBe(`Bearer ${canaries.key}`);
    expect(sent?.headers['origin']).toBeUndefined();
  });
});

describe('a model that is not served', () => {
  const world = attacked();

  it.each([
    'gpt-5',
    'openai:gpt-5',
    'openai-compatible:llama3.3/../../admin',
    'openai-compatible:../v1/files',
    'openai-compatible:llama3.3?x=1',
    'openai-compatible:llama3.3#',
    'openai-compatible:LLAMA3.3',
    ' openai-compatible:llama3.3',
    'openai-compatible:llama3.3\u0000',
    'http://169.254.169.254/',
    '__proto__',
    'constructor',
    '',
  ])('%j is not asked', async (model) => {
    const answer = await world.ask({ model });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'unknown-model']);
    expect(world.provider.sent).toEqual([]);
  });

  it.each([
    { baseURL: 'http://evil.example' },
    { base_url: 'http://evil.example' },
    { url: 'http://evil.example' },
    { apiKey: 'x' },
    { headers: { authorization: 'x' } },
    { provider: 'evil.example' },
    { providerOptions: { openaiCompatible: { user: 'evil.example' } } },
    { fetch: 'evil.example' },
    { n: 99 },
    { stream: false, stream_options: { evil: 'evil.example' } },
    { extra_body: { evil: 'evil.example' } },
    { metadata: { evil: 'evil.example' } },
  ])('a model that is not served cannot be requested by %j', async (more) => {
    expect((await world.ask(more)).status).toBe(200);
    const [sent] = world.provider.sent;
    expect(sent?.path).toBe('/chat/completions');
    expect(sent?.headers.authorization).toBe(`Bearer ${canaries.key}`);
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      model: 'llama3.3',
      messages: [{ role: 'user', content: canaries.prompt }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});

describe('what a model cannot take', () => {
  const world = attacked();

  it.each(['application/zip', 'application/octet-stream', 'application/msword', 'font/woff2'])(
    'a file that a model cannot take goes to it as its name, without its bytes: the type %s',
    async (mediaType) => {
      const answer = await world.ask(saying({ type: 'file', mediaType, data: 'AAAA' }));
      expect(failureOf(answer)).toBe(null);
      expect(JSON.stringify(world.provider.sent)).toContain(mediaType);
      expect(JSON.stringify(world.provider.sent)).not.toContain('AAAA');
    },
  );
});

describe('settings', () => {
  const world = attacked(() => ({ limits: { maxOutputTokens: 1000 } }));

  it.each([
    { maxOutputTokens: 0 },
    { maxOutputTokens: -1 },
    { maxOutputTokens: 1.5 },
    { maxOutputTokens: '1000000' },
    { maxOutputTokens: [1] },
    { maxOutputTokens: 1e12 },
    { temperature: 2.1 },
    { temperature: -1 },
    { temperature: '1' },
    { temperature: {} },
    { topP: 1.1 },
    { topK: 0.5 },
    { presencePenalty: 3 },
    { frequencyPenalty: -3 },
    { stopSequences: 'x' },
    { stopSequences: [1] },
    { stopSequences: Array.from({ length: 17 }, () => 'x') },
    { stopSequences: ['x'.repeat(1001)] },
    { seed: 'x' },
    { reasoning: 'extreme' },
    { reasoning: { effort: 'high' } },
  ])('settings of the wrong type or size are refused: %j', async (settings) => {
    const answer = await world.ask({ settings });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid-request']);
    expect(answer.text).toContain(`settings.${Object.keys(settings)[0]}`);
    expect(world.provider.sent).toEqual([]);
  });

  it.each([
    { max_tokens: 99_999 },
    { maxTokens: 99_999 },
    { max_completion_tokens: 99_999 },
    { n: 99_999 },
    { logit_bias: { 99999: 1 } },
    { tools: [{ type: '99999' }] },
    { service_tier: '99999' },
    { maxOutputTokens: 99_999 },
    { maxOutputTokens: null },
    {},
  ])('settings cannot make an answer longer or more expensive than allowed: %j', async (settings) => {
    expect((await world.ask({ settings })).status).toBe(200);
    const body = world.provider.sent[0]?.body ?? '';
    expect(body).not.toContain('99999');
    expect(JSON.parse(body)).toMatchObject({ max_tokens: 1000 });
  });

  it('settings within the limit apply as the page asked', async () => {
    const settings = { maxOutputTokens: 20, temperature: 0.5, stopSequences: ['.'], seed: 7 };
    await world.ask({ settings });
    expect(JSON.parse(world.provider.sent[0]?.body ?? '')).toMatchObject({
      max_tokens: 20,
      temperature: 0.5,
      stop: ['.'],
      seed: 7,
    });
  });
});

describe('a body of the usual size', () => {
  const world = attacked();

  it.each([101, 5001, 100_000, 500_000])(
    'a body with %i nested lists is refused without other effects',
    async (levels) => {
      const answer = await world.ask(deep(levels));
      expect([answer.status, codeOf(answer)]).toEqual([400, 'body-too-deep']);
      expect((await world.ask()).status).toBe(200);
    },
  );

  it('a body with 90 nested lists is accepted', async () => {
    expect((await world.ask(deep(90))).status).toBe(200);
  });

  it('a body with a photo of 900 kB is accepted', async () => {
    const data = 'A'.repeat(1_200_000);
    expect((await world.ask(saying({ type: 'file', mediaType: 'image/jpeg', data }))).status).toBe(200);
    expect(world.provider.sent[0]?.body.length).toBeGreaterThan(data.length);
  });
});

describe('a body', () => {
  const world = attacked(() => ({
    limits: { bodyBytes: 4000, imageBytes: 6000, bodyMs: 200 },
  }));
  const text = (length: number): object => saying({ type: 'text', text: 'x'.repeat(length) });
  const file = (bytes: number): object => ({
    type: 'file',
    mediaType: 'image/png',
    data: 'A'.repeat((bytes / 3) * 4),
  });

  it.each([
    ['a long text', JSON.stringify(text(4100)), 413, 'body-too-large', '4166 bytes'],
    [
      'many short texts',
      JSON.stringify(saying(...Array.from({ length: 200 }, () => ({ type: 'text', text: 'x' })))),
      413,
      'body-too-large',
      '4000 bytes',
    ],
    ['a file that is too large', JSON.stringify(saying(file(6600))), 413, 'files-too-large', '6600 bytes'],
    [
      'files that are too large together',
      JSON.stringify(saying(file(3000), file(3300))),
      413,
      'files-too-large',
      '6300 bytes',
    ],
    ['far more than can be', 'x'.repeat(50_000), 413, 'files-too-large', '6000 bytes'],
    ['101 lists in each other', deep(101), 400, 'body-too-deep', 'takes 100'],
    ['1,900 lists in each other', deep(1900), 400, 'body-too-deep', '1905'],
    ['lists that are never closed', '['.repeat(3900), 400, 'body-too-deep', '3900'],
    ['objects that are never closed', '{"a":'.repeat(700), 400, 'body-too-deep', '700'],
    ['too much to find out that it is no JSON', '{},'.repeat(1500), 413, 'body-too-large', '4500'],
    ['no JSON', '{"messages":', 400, 'invalid-json', ''],
    ['nothing', '', 400, 'invalid-json', ''],
    ['an open text', '"' + '\\'.repeat(99), 400, 'invalid-json', ''],
    ['JSON behind JSON', '{}{}', 400, 'invalid-json', ''],
    ['null', 'null', 400, 'invalid-request', 'expected an object'],
    ['a list', '[]', 400, 'invalid-request', ''],
    ['a number', '1e999', 400, 'invalid-request', ''],
    ['no messages', '{"messages":[]}', 400, 'invalid-request', 'messages'],
    [
      'a role that is none',
      '{"messages":[{"role":"root","parts":[]}]}',
      400,
      'invalid-request',
      'messages.0.role',
    ],
    [
      'a part that is none',
      JSON.stringify(saying({ type: 'exec' })),
      400,
      'invalid-request',
      'messages.0.parts.0',
    ],
    [
      'a call without its input',
      JSON.stringify(saying({ type: 'tool-call', toolCallId: '1', toolName: 't' })),
      400,
      'invalid-request',
      'input',
    ],
    [
      'schemas that are no objects',
      JSON.stringify({ ...conversation, tools: [{ name: 't', inputSchema: [] }] }),
      400,
      'invalid-request',
      'tools.0.inputSchema',
    ],
  ])('a body of %s has its own status and code', async (_what, body, status, code, said) => {
    const answer = await world.ask(body);
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(answer.text).toContain(said);
    expect(JSON.parse(answer.text)).toMatchObject({ retryable: false });
    expect(world.provider.sent).toEqual([]);
  });

  it('a body with a fitting file passes, though it is larger than a body without files may be', async () => {
    expect((await world.ask(saying(file(6000)))).status).toBe(200);
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity'])(
    'a body that is packed with %s is not unpacked',
    async (coding) => {
      const answer = await world.ask({}, { 'content-encoding': coding });
      expect([answer.status, codeOf(answer)]).toEqual([415, 'unsupported-media-type']);
    },
  );

  it.each([
    'text/plain',
    'application/json-patch+json',
    'application/jsonp',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/xml',
    'xapplication/json',
    '',
  ])('a body of the type %j is not read', async (type) => {
    expect((await world.ask({}, { 'content-type': type })).status).toBe(415);
  });

  it.each([
    ['bytes that are no text', Uint8Array.of(34, 0xff, 0xfe, 34)],
    ['half a character', Uint8Array.of(34, 0xe2, 0x82)],
  ])('a body of %s is not read as something else', async (_what, bytes) => {
    const answer = await world.send('/v1/inference', {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid-json']);
  });

  // Node wants to be told that the answer may come before the end; the types of the DOM do not know the word.
  const streamed = (...chunks: readonly (string | number)[]): RequestInit & { readonly duplex: 'half' } => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    duplex: 'half',
    body: new ReadableStream({
      async start(controller) {
        for (const chunk of chunks) {
          if (typeof chunk === 'number') await new Promise((resolve) => setTimeout(resolve, chunk));
          else controller.enqueue(new TextEncoder().encode(chunk));
        }
        // What was not read to its end is closed already.
        await Promise.resolve()
          .then(() => controller.close())
          .catch(() => undefined);
      },
    }),
  });

  it('a body without an announced length has the same limit', async () => {
    const answer = await world.send(
      '/v1/inference',
      streamed(...Array.from({ length: 20 }, () => 'x'.repeat(1000))),
    );
    expect([answer.status, codeOf(answer)]).toEqual([413, 'files-too-large']);
  });

  it.each([
    ['stalls', ['{"mess', 1000]],
    ['never begins', [1000]],
    ['trickles', Array.from({ length: 40 }, (_, at) => (at % 2 ? 25 : 'x'))],
  ])('a body that %s is given up', async (_how, chunks) => {
    const answer = await world.send('/v1/inference', streamed(...chunks));
    expect([answer.status, codeOf(answer)]).toEqual([408, 'body-too-slow']);
  });

  it('a body in pieces is read, also when a piece ends within a character', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(saying({ type: 'text', text: 'Grüße 😀' })));
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const answer = await world.send('/v1/inference', { ...streamed(), body });
    expect(answer.status).toBe(200);
    expect(world.provider.sent[0]?.body).toContain('Grüße 😀');
  });
});
