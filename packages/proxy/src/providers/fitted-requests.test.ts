import { createOpenAI } from '@ai-sdk/openai';
import {
  type InferenceClient,
  type InferenceRequest,
  type JsonObject,
  Message,
  type MessagePart,
} from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as rules from '../../../../tests/upstream/request-rules.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { conversation, files, png } from './random-conversations.fixture.ts';

const runs = Number(process.env['PROVE_RUNS'] ?? 60);

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

type Target = { readonly keep: rules.RequestRules; readonly client: (url: string) => InferenceClient };

function fromEnv(env: (url: string) => Record<string, string>): Target['client'] {
  return (url) => {
    const [model] = modelsFromEnv(env(url));
    if (model === undefined) throw new Error('The environment has no model.');
    return model.client;
  };
}

const targets: Readonly<Record<string, Target>> = {
  anthropic: {
    keep: rules.anthropicRules,
    client: fromEnv((url) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url })),
  },
  'openai responses': {
    keep: rules.responsesRules,
    client: fromEnv((url) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url })),
  },
  'openai chat completions': {
    keep: rules.completionsRules,
    client: (url) => fromLanguageModel(createOpenAI({ apiKey: 'k', baseURL: url }).chat('gpt-4o')),
  },
  'google gemini 2.5': {
    keep: rules.googleRules,
    client: fromEnv((url) => googleEnv(url, 'gemini-2.5-flash')),
  },
  'google gemini 3': {
    keep: rules.googleRules,
    client: fromEnv((url) => googleEnv(url, 'gemini-3-pro-preview')),
  },
  'a server with a strict template': {
    keep: rules.templateRules,
    client: fromEnv((url) => ({ OPENAI_COMPATIBLE_BASE_URL: url, VITRINE_MODELS: 'openai-compatible:m' })),
  },
};

const googleEnv = (url: string, name: string): Record<string, string> => ({
  GOOGLE_GENERATIVE_AI_API_KEY: 'k',
  GOOGLE_GENERATIVE_AI_BASE_URL: url,
  VITRINE_MODELS: `google:${name}`,
});

/** The body that reaches the provider, which fails: only the request counts. */
async function bodyOf(client: InferenceClient, asked: InferenceRequest): Promise<string> {
  const before = upstream.bodies().length;
  upstream.behave = { kind: 'status', status: 503 };
  const errors: unknown[] = [];
  const { signal } = new AbortController();
  for await (const event of client.stream(asked, { signal, onError: (error) => errors.push(error) }))
    expect(event.type).toBe('error');
  const [body] = upstream.bodies().slice(before);
  if (body === undefined) throw new Error(`Nothing was sent: ${String(errors[0])}`);
  return body;
}

/** A word of a person that a request does not hold; null when it holds them all. */
function lostIn({ messages }: InferenceRequest, raw: string): string | null {
  const said = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : [])));
  const lost = said.find(
    (one) => !raw.includes(JSON.stringify(one.replaceAll(/\p{Surrogate}/gu, '\uFFFD')).slice(1, -1)),
  );
  return lost === undefined ? null : `${JSON.stringify(lost)} is lost`;
}

function messageOf(role: Message['role'], parts: readonly MessagePart[]): Message {
  return { ...Message.user(''), role, parts };
}

/** Two answers with a call each, and a message that holds the results of both. */
const resultsOfTwoAnswers: InferenceRequest = {
  ...request,
  messages: [
    messageOf('assistant', [
      { type: 'tool-call', toolCallId: 'first', toolName: 'read', input: {}, providerCallId: null },
    ]),
    messageOf('assistant', [
      { type: 'tool-call', toolCallId: 'second', toolName: 'read', input: {}, providerCallId: null },
    ]),
    messageOf(
      'tool',
      ['second', 'first'].map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'read',
        output: 'ok',
        outcome: 'completed',
        durationMs: null,
      })),
    ),
  ],
};

describe('a request that leaves', () => {
  it.each(Object.keys(targets))(
    'any conversation keeps the published rules of %s in the bytes that its package sends',
    { timeout: 60_000 },
    async (name) => {
      const { keep, client } = targets[name] as Target;
      const model = client(upstream.url);
      await fc.assert(
        fc.asyncProperty(conversation, async (asked) => {
          const raw = await bodyOf(model, asked);
          const broken = keep(JSON.parse(raw), raw) ?? lostIn(asked, raw);
          if (broken !== null) throw new Error(`${broken}\n${raw}`);
        }),
        { numRuns: runs, examples: [[resultsOfTwoAnswers]] },
      );
    },
  );
});

it('a field whose name Anthropic refuses goes under another, and comes back under its own', async () => {
  const [before, behind] = ['StartTime<', 'StartTime>'];
  const inputSchema = { type: 'object', properties: { [before]: {}, [behind]: {}, 'a.b': {} } };
  const tools = [{ name: 'list', description: 'Lists', inputSchema: { ...inputSchema, required: [before] } }];
  const client = (targets['anthropic'] as Target).client(upstream.url);
  const body = JSON.parse(await bodyOf(client, { ...request, tools })) as {
    tools: { input_schema: { properties: Record<string, JsonObject>; required: string[] } }[];
  };
  const schema = body.tools[0]!.input_schema;
  const names = Object.keys(schema.properties);
  expect(names.map((name) => schema.properties[name]?.['title'])).toEqual([before, behind, undefined]);
  expect([schema.required, names[2]]).toEqual([[names[0]], 'a.b']);
  const event = (value: JsonObject): string => `data: ${JSON.stringify(value)}\n\n`;
  const input = { [names[0]!]: 1, [names[1]!]: 2, 'a.b': 3, unknown: 4 };
  upstream.behave = {
    kind: 'answer',
    size: null,
    body: [
      { type: 'message_start', message: { id: 'm1', model: 'm', usage: { input_tokens: 5 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 'list' } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ]
      .map(event)
      .join(''),
  };
  const { signal } = new AbortController();
  const calls: unknown[] = [];
  for await (const one of client.stream({ ...request, tools }, { signal }))
    if (one.type === 'tool-call') calls.push(one.input);
  expect(calls).toEqual([{ [before]: 1, [behind]: 2, 'a.b': 3, unknown: 4 }]);
});

const user = (...parts: readonly MessagePart[]): Message =>
  Message.user([{ type: 'text', text: 'Look' }, ...parts]);
const picture: MessagePart = { type: 'file', mediaType: 'image/png', filename: 'a.png', data: png };

describe('a file of a request', () => {
  const callOfRead = {
    type: 'tool-call',
    toolCallId: 'abcdefghi',
    toolName: 'read',
    input: {},
    providerCallId: null,
  } as const;
  const done = Message.tool({ toolCallId: 'abcdefghi', toolName: 'read', output: 'Read.' });
  const asked = {
    ...request,
    messages: [user(), Message.assistant([callOfRead]), { ...done, parts: [...done.parts, picture] }],
  };
  const label = '[From the result of read:]';
  const url = `data:image/png;base64,${png}`;
  const inlineData = { mimeType: 'image/png', data: png };

  it.each<[string, (body: JsonObject) => unknown, unknown]>([
    [
      'anthropic',
      ({ messages }) => (messages as JsonObject[]).at(-1)?.['content'],
      [
        {
          type: 'tool_result',
          tool_use_id: 'abcdefghi',
          content: [
            { type: 'text', text: 'Read.' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          ],
        },
      ],
    ],
    [
      'openai responses',
      ({ input: items }) => (items as JsonObject[]).at(-1)?.['output'],
      [
        { type: 'input_text', text: 'Read.' },
        { type: 'input_image', image_url: url },
      ],
    ],
    [
      'openai chat completions',
      ({ messages }) => (messages as JsonObject[]).slice(-2).map(({ role, content }) => [role, content]),
      [
        ['tool', 'Read.'],
        [
          'user',
          [
            { type: 'text', text: label },
            { type: 'image_url', image_url: { url } },
          ],
        ],
      ],
    ],
    [
      'google gemini 3',
      ({ contents }) =>
        (contents as { parts: { functionResponse: JsonObject }[] }[])
          .at(-1)
          ?.parts.map((part) => part.functionResponse['parts']),
      [[{ inlineData }]],
    ],
    [
      'google gemini 2.5',
      ({ contents }) => (contents as JsonObject[]).at(-1),
      { role: 'user', parts: [{ text: label }, { inlineData }] },
    ],
    [
      'a server with a strict template',
      ({ messages }) => (messages as JsonObject[]).slice(-3).map(({ role }) => role),
      ['tool', 'assistant', 'user'],
    ],
  ])(
    'a picture of a tool reaches %s where it takes pictures: in the result, or behind it',
    async (name, placeOf, expected) => {
      const raw = await bodyOf((targets[name] as Target).client(upstream.url), asked);
      // The last result ends what the next request repeats.
      const unmarked = JSON.parse(raw, (name, value: unknown) =>
        name === 'cache_control' ? undefined : value,
      ) as JsonObject;
      expect(placeOf(unmarked)).toEqual(expected);
    },
  );

  it.each(files)(
    'a file of the type %j named %j goes to every target, and does not fail the request',
    async (mediaType, filename, data) => {
      for (const { keep, client } of Object.values(targets)) {
        const raw = await bodyOf(client(upstream.url), {
          ...request,
          messages: [user({ type: 'file', mediaType, filename, data })],
        });
        expect(keep(JSON.parse(raw), raw)).toBe(null);
      }
    },
  );

  it('a text file goes as text with its name, in the encoding of Windows too, and a .ts is no video', async () => {
    const openai = targets['openai responses'] as Target;
    const texts = files.filter(([, name]) =>
      ['e.csv', 'f.json', 'h.ts', 'Makefile', 'c.svg'].includes(name ?? ''),
    );
    const parts = texts.map(([mediaType, filename, data]): MessagePart => ({
      type: 'file',
      mediaType,
      filename,
      data,
    }));
    const { input: items } = JSON.parse(
      await bodyOf(openai.client(upstream.url), { ...request, messages: [user(...parts)] }),
    ) as { input: { content: JsonObject[] }[] };
    expect(items[0]?.content).toEqual([
      {
        type: 'input_text',
        text: [
          'Look',
          '[The file c.svg:]\n<svg xmlns="http://www.w3.org/2000/svg"/>\n[End of the file.]',
          '[The file e.csv:]\nMüll;1\n[End of the file.]',
          '[The file f.json:]\n{"a":1}\n[End of the file.]',
          '[The file h.ts:]\nexport const a = 1;\n\n[End of the file.]',
          '[The file Makefile:]\nall:\n\techo\n\n[End of the file.]',
        ].join('\n\n'),
      },
    ]);
  });
});

describe('a file that the provider refuses', () => {
  /** The bodies of a request to OpenAI, and the types of its events, when the provider answers with these statuses. */
  async function sent(messages: readonly Message[], ...statuses: readonly number[]) {
    const before = upstream.bodies().length;
    upstream.behave = { kind: 'status', status: 503 };
    upstream.next.push(
      ...statuses.map((status) => ({
        kind: 'status' as const,
        status,
        body: '{"error":{"message":"Invalid image."}}',
      })),
    );
    const { client } = targets['openai responses'] as Target;
    const codes: string[] = [];
    const { signal } = new AbortController();
    for await (const event of client(upstream.url).stream({ ...request, messages }, { signal }))
      if (event.type === 'error') codes.push(event.code);
    return { codes, bodies: upstream.bodies().slice(before) };
  }

  it('a refused picture of the last message fails its own turn, which is asked once', async () => {
    const { codes, bodies } = await sent([user(picture)], 400);
    expect([codes, bodies.length]).toEqual([['upstream-invalid-request'], 1]);
  });

  it('the message after a refused picture goes without it, and keeps the pictures that were answered', async () => {
    const answered = { ...picture, filename: 'good.png' };
    const { bodies } = await sent([user(answered), Message.assistant('Nice.'), user(picture), user()], 400);
    expect(bodies).toHaveLength(2);
    const [first = '', second = ''] = bodies;
    expect([first.split(png).length - 1, second.split(png).length - 1]).toEqual([2, 1]);
    expect(second).toContain('The file a.png is left out, because the model provider refused it.');
  });

  it('a picture that another model took is left out when this one refuses it', async () => {
    const { bodies } = await sent([user(picture), Message.assistant('Nice.'), user()], 400);
    expect(bodies.map((body) => body.split(png).length - 1)).toEqual([1, 0]);
  });

  it.each([401, 404, 429, 503])(
    'a status of %d says nothing about files, so the request is made once',
    async (status) => {
      const { bodies } = await sent([user(picture), user()], status);
      expect(bodies).toHaveLength(1);
    },
  );
});
