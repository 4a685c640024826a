import { readFileSync } from 'node:fs';
import { MessageSchema } from '@ag-ui/core/schemas';
import { type Schema, Validator } from '@cfworker/json-schema';
import { safeValidateUIMessages, type UIMessage } from 'ai';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentError,
  AgentState,
  Conversation,
  definePlugin,
  defineTool,
  isAgentError,
  loadedSession,
  Message,
  type MessagePart,
  runAgent,
  type SessionRecord,
} from '@vitrine/core';
import { exportMessages, importMessages } from '@vitrine/messages';
import { importSession, memorySessions } from '@vitrine/persist';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import * as z from 'zod';
import { conversation, writers } from './written-shapes.fixture.ts';

const schemaFile = new URL('../schemas/messages.schema.json', import.meta.url);
const runs = { numRuns: Number(process.env['PROVE_RUNS'] ?? 40) };
const unhurried = 600_000;

type Imported = Awaited<ReturnType<typeof importMessages>>;

function messagesIn({ messages, sessions }: Imported): readonly Message[] {
  return messages ?? sessions.flatMap((session) => session.messages);
}

/** The marks in a value, each with its place as `left` writes it. */
function marksIn(value: unknown): readonly (readonly [mark: string, at: string])[] {
  const found: (readonly [string, string])[] = [];
  const walk = (one: unknown, at: string): void => {
    if (typeof one === 'string')
      for (const [text] of one.matchAll(/mark\d+end(?:out|orders)?/g)) found.push([text, at]);
    else if (Array.isArray(one)) one.forEach((child, index) => walk(child, `${at}[${index}]`));
    else if (typeof one === 'object' && one !== null)
      for (const [key, child] of Object.entries(one)) {
        // Names of things are no content: ids, and the nodes of a tree.
        if (
          /^(id|uuid|parent|parentId|children|head|current_node|parent_message_uuid|call_id|tool_call_id|toolCallId|tool_use_id|sourceId|title|name|content)$/.test(
            key,
          ) &&
          typeof child === 'string' &&
          key !== 'content'
        )
          continue;
        if (key === 'children') continue;
        walk(child, at === '' ? key : `${at}.${key}`);
      }
  };
  walk(value, '');
  return found;
}

/** The marks of a file that are neither in the messages nor at a place that was left out. */
function lost(written: unknown, imported: Imported): readonly (readonly [string, string])[] {
  const text = JSON.stringify(messagesIn(imported));
  return marksIn(written).filter(
    ([mark, at]) => !text.includes(mark) && !imported.left.some((left) => at.startsWith(left.at)),
  );
}

describe.each(Object.entries(writers))('a conversation written as %s', (_name, write) => {
  it(
    'every part of it is in the messages or in `left`, with its reason',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          conversation,
          fc.constantFrom('none', 'full'),
          fc.boolean(),
          async (list, trust, isText) => {
            const written = write(list);
            const imported = await importMessages(isText ? JSON.stringify(written) : written, {
              trust: trust as 'none',
            });
            expect(lost(written, imported)).toEqual([]);
            expect(
              imported.left.every(({ at, kind, why }) => at !== '' && kind !== '' && why.endsWith('.')),
            ).toBe(true);
            const ids = messagesIn(imported).map(({ id }) => id);
            expect(new Set(ids).size).toBe(ids.length);
            const orders = messagesIn(imported).filter(({ role }) => role === 'system');
            if (trust === 'none') expect(orders).toEqual([]);
            expectPairs(messagesIn(imported));
          },
        ),
        runs,
      );
    },
    unhurried,
  );

  it(
    'a damaged one is refused with a sentence, or all that can be read of it comes in',
    async () => {
      const junk = fc.constantFrom(
        null,
        7,
        'x',
        [],
        {},
        [null],
        [[7]],
        { type: 'x' },
        { role: 'x' },
        undefined,
      );
      await fc.assert(
        fc.asyncProperty(
          conversation,
          fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 3 }),
          async (list, cuts) => {
            const written = structuredClone(write(list));
            for (const [place, value] of cuts) damage(written, place, value);
            const imported = await importMessages(written).catch((thrown: unknown) => thrown as AgentError);
            if (imported instanceof Error) {
              expect(isAgentError(imported, 'message-invalid'), String(imported)).toBe(true);
              expect(imported.message).toMatch(/^importMessages: .+\.$/);
            } else expect(lost(written, imported)).toEqual([]);
          },
        ),
        runs,
      );
    },
    unhurried,
  );
});

/** Every result has the id of a call before it, when the file has that call. */
function expectPairs(messages: readonly Message[]): void {
  const calls = new Set<string>();
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === 'tool-call') {
        expect(calls.has(part.toolCallId)).toBe(false);
        calls.add(part.toolCallId);
      }
      if (part.type === 'tool-result') {
        expect(calls.has(part.toolCallId)).toBe(true);
        expect(part.toolName).not.toBe('');
      }
    }
}

/** Replaces one value somewhere in a file; undefined removes it. */
function damage(value: unknown, place: number, by: unknown): void {
  const holders: { holder: Record<string, unknown>; key: string }[] = [];
  const walk = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    for (const key of Object.keys(one)) {
      holders.push({ holder: one as Record<string, unknown>, key });
      walk((one as Record<string, unknown>)[key]);
    }
  };
  walk(value);
  const chosen = holders[place % Math.max(1, holders.length)];
  if (chosen === undefined) return;
  if (by === undefined && !Array.isArray(chosen.holder)) delete chosen.holder[chosen.key];
  else chosen.holder[chosen.key] = structuredClone(by ?? null);
}

describe('a conversation from elsewhere', () => {
  it('an imported message keeps its id and its time, and the result tells its shape', async () => {
    const at = Date.parse('2025-04-02T08:00:00.000Z');
    const given = [
      {
        id: 'u1',
        role: 'user',
        content: 'Hi',
        createdAt: new Date(at),
        parts: [{ type: 'text', text: 'Hi' }],
      },
    ];
    expect(await importMessages(given)).toMatchObject({
      shape: 'ui',
      messages: [{ id: 'u1', createdAt: at, parts: [{ type: 'text', text: 'Hi' }] }],
      left: [],
    });
  });

  it('a file of ai 4 in any of its forms is read, and one without bytes and address is left out', async () => {
    const file = (own: object): object => ({ type: 'file', ...own });
    const parts = [
      file({ mimeType: 'image/png', data: 'iVBO' }),
      file({ mediaType: 'text/plain', url: 'data:text/plain,a%20b' }),
      file({ url: 'data:text/csv;charset=utf-8;base64,YSxi' }),
      file({ mediaType: 'image/png', url: '' }),
    ];
    const imported = await importMessages([{ id: 'a', role: 'user', parts }]);
    expect(imported.messages?.[0]?.parts).toMatchObject([
      { mediaType: 'image/png', data: 'iVBO' },
      { mediaType: 'text/plain', data: btoa('a b') },
      { mediaType: 'text/csv', data: 'YSxi' },
    ]);
    expect(imported.left).toMatchObject([{ at: '[0].parts[3]', kind: 'file' }]);
  });

  it.each([
    [
      'lines of conversations for fine-tuning',
      ['{"messages":[{"role":"user","content":"A"}]}', '{"messages":[{"role":"user","content":"B"}]}'].join(
        '\n',
      ),
      2,
    ],
    [
      'a list of messages as lines',
      ['{"role":"user","content":"A"}', '', '{"role":"assistant","content":"B"}'].join('\n'),
      null,
    ],
    [
      'a request',
      {
        model: 'm',
        messages: [
          { role: 'user', content: 'A' },
          { role: 'assistant', content: 'B' },
        ],
      },
      null,
    ],
    [
      'an answer of OpenAI',
      {
        choices: [
          { message: { role: 'assistant', content: 'A' } },
          { message: { role: 'assistant', content: 'B' } },
        ],
      },
      null,
    ],
    [
      'the state of a LangGraph thread',
      {
        values: {
          messages: [
            { type: 'human', content: 'A' },
            { type: 'ai', content: 'B' },
          ],
        },
      },
      null,
    ],
    [
      'an answer of the Responses API',
      {
        object: 'response',
        output: [
          { type: 'message', role: 'user', content: 'A' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B' }] },
        ],
      },
      null,
    ],
    [
      'a stored response with its input',
      {
        object: 'response',
        input: [{ role: 'user', content: 'A' }],
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B' }] }],
      },
      null,
    ],
    [
      'a stored response whose input is a text',
      {
        input: 'A',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B' }] }],
      },
      null,
    ],
    [
      'a request with its answer',
      {
        messages: [{ role: 'user', content: 'A' }],
        choices: [{ message: { role: 'assistant', content: 'B' } }],
      },
      null,
    ],
    [
      'a request to Gemini with its answer',
      {
        contents: [{ role: 'user', parts: [{ text: 'A' }] }],
        candidates: [{ content: { role: 'model', parts: [{ text: 'B' }] } }],
      },
      null,
    ],
    [
      'a page of a thread of the Assistants API, newest first',
      {
        object: 'list',
        data: [
          { role: 'assistant', created_at: 1_700_000_001, content: [{ type: 'text', text: { value: 'B' } }] },
          { role: 'user', created_at: 1_700_000_000, content: [{ type: 'text', text: { value: 'A' } }] },
        ],
      },
      null,
    ],
    [
      'a table of messages whose parts are JSON texts',
      [
        { id: 'a', role: 'user', parts: '[{"type":"text","text":"A"}]', attachments: '[]' },
        { id: 'b', role: 'assistant', parts: '[{"type":"text","text":"B"}]', attachments: '[]' },
      ],
      null,
    ],
    [
      'a request to Amazon Bedrock',
      {
        messages: [
          { role: 'user', content: [{ text: 'A' }] },
          { role: 'assistant', content: [{ text: 'B' }] },
        ],
      },
      null,
    ],
  ])('%s is read', async (_name, given, sessions) => {
    const imported = await importMessages(given);
    expect(imported.left).toEqual([]);
    expect(imported.sessions?.length ?? null).toBe(sessions);
    expect(messagesIn(imported).map(({ parts }) => parts)).toMatchObject([[{ text: 'A' }], [{ text: 'B' }]]);
  });

  it('a conversation tells its beginning in seconds, milliseconds or as a text', async () => {
    for (const begun of [
      { created_at: 1_700_000_000 },
      { createdAt: 1.7e12 },
      { created_at: '2023-11-14T22:13:20Z' },
    ]) {
      const { sessions } = await importMessages([{ ...begun, messages: [{ role: 'user', content: 'Hi' }] }]);
      expect(sessions?.[0]?.createdAt).toBe(1.7e12);
    }
  });

  it.each([
    ['a text that is no JSON', 'Hello', /cannot be read/],
    ['an archive', 'PK\u0003\u0004rest', /ZIP archive/],
    ['an exported session', { $schema: 'vitrine/session', version: 1 }, /importSession/],
    ['a list of numbers', [1, 2], /known shape/],
    ['null', null, /known shape/],
  ])('%s is refused with a sentence', async (_name, given, sentence) => {
    await expect(importMessages(given)).rejects.toThrow(sentence);
  });

  it.each([
    ['ui', { role: 'assistant', parts: [] }],
    ['openai', { role: 'assistant' }],
    ['openai-responses', { type: 'message', role: 'assistant' }],
    ['anthropic', { role: 'assistant' }],
    ['langchain', { type: 'ai' }],
    ['ag-ui', { id: 'a', role: 'assistant' }],
    ['gemini', { role: 'model' }],
  ] as const)(
    'a message of %s has what it says in a field of another shape in `left`, or in its parts',
    async (shape, message) => {
      for (const field of ['content', 'parts', 'thinking', 'images', 'attachments', 'files', 'tool_calls']) {
        const value = field === 'thinking' ? 'mark1end' : [{ type: 'hologram', text: 'mark1end' }];
        const written = [{ ...message, [field]: value }];
        expect([field, ...lost(written, await importMessages(written, { shape }))]).toEqual([field]);
      }
    },
  );

  it('the thoughts and pictures of a local server are a part of the message, whatever their fields', async () => {
    const { messages = [], left } = await importMessages([
      { role: 'user', content: 'Hi', images: ['iVBORw0K'] },
      { role: 'assistant', content: 'A', thinking: 'One' },
      { role: 'assistant', content: 'B', reasoning_details: [{ type: 'reasoning.text', text: 'Two' }] },
    ]);
    expect(left).toEqual([]);
    expect(messages.map(({ parts }) => parts)).toMatchObject([
      [{ type: 'text' }, { type: 'file', mediaType: 'image/*', data: 'iVBORw0K' }],
      [{ type: 'reasoning', text: 'One' }, { text: 'A' }],
      [{ type: 'reasoning', text: 'Two' }, { text: 'B' }],
    ]);
  });

  it('the answers of one message in an export of ChatGPT are branches of its session', async () => {
    const said = (role: string, text: string, parent: string): object => ({
      message: {
        author: { role },
        create_time: 1_700_000_000.5,
        content: { content_type: 'text', parts: [text] },
      },
      parent,
    });
    const mapping = {
      root: { message: null, parent: null, children: ['q'] },
      q: { ...said('user', 'Question', 'root'), children: ['a1', 'a2'] },
      a1: said('assistant', 'First answer', 'q'),
      a2: said('assistant', 'Second answer', 'q'),
    };
    const file = [
      { title: 'A talk', conversation_id: 'c1', create_time: 1_700_000_000, current_node: 'a1', mapping },
    ];
    const { sessions = [], left } = await importMessages(file);
    expect(left).toEqual([]);
    const store = memorySessions();
    const id = await importSession(store, sessions[0]);
    const record = loadedSession(await store.load(id)) as SessionRecord;
    expect(record).toMatchObject({ id: 'c1', title: 'A talk', createdAt: 1_700_000_000_000 });
    const texts = (state: AgentState): readonly string[] => AgentState.messages(state).map(Message.text);
    expect(texts(record.state)).toEqual(['Question', 'First answer']);
    expect(record.branches.map(({ state }) => texts(state))).toEqual([['Question', 'Second answer']]);
    const { state, branches } = record;
    const alternatives = Conversation.branches({ state, tree: { branches, checkpoints: [] } });
    expect(alternatives('a1')).toMatchObject({ ids: ['a1', 'a2'], index: 0 });
    const plain = exportMessages(record, 'plain');
    expect({
      ...plain,
      messages: plain.messages.map(({ id: own, parentId }) => [own, parentId]),
    }).toMatchObject({
      head: 'a1',
      messages: expect.arrayContaining([
        ['q', null],
        ['a1', 'q'],
        ['a2', 'q'],
      ]),
    });
  });

  it('a conversation with more branches than a session keeps has its newest ones', async () => {
    const mapping: Record<string, object> = { q: node('user', 'Question', null, 0) };
    for (let at = 0; at < 300; at++) mapping[`a${at}`] = node('assistant', `Answer ${at}`, 'q', at);
    const { sessions = [], left } = await importMessages([{ mapping, current_node: 'a0' }]);
    expect(left).toHaveLength(200);
    expect(sessions[0]?.messages).toHaveLength(101);
    expect(sessions[0]?.head).toBe('a0');
    const store = memorySessions();
    const record = loadedSession(await store.load(await importSession(store, sessions[0])));
    expect(record?.branches).toHaveLength(99);
  });
});

function node(role: string, text: string, parent: string | null, at: number): object {
  const content = { content_type: 'text', parts: [text] };
  return { parent, message: { author: { role }, create_time: 1_700_000_000 + at, content } };
}

describe.each(['ui', 'openai', 'anthropic', 'ag-ui', 'plain'] as const)(
  'a conversation exported as %s',
  (shape) => {
    it(
      'an exported conversation comes back with its texts, calls and results',
      async () => {
        await fc.assert(
          fc.asyncProperty(conversation, async (list) => {
            const { messages = [] } = await importMessages(writers['ui of ai 5 to 7']?.(list), {
              trust: 'full',
            });
            const state = AgentState.create({ messages });
            const exported: unknown = JSON.parse(JSON.stringify(exportMessages(state, shape)));
            const back = messagesIn(
              await importMessages(exported, { trust: 'full', ...(shape === 'plain' ? {} : { shape }) }),
            );
            const said = (from: readonly Message[]): readonly string[] =>
              from.flatMap(({ parts }) => parts.flatMap(wordsOf)).toSorted();
            expect(said(back)).toEqual(said(messages));
            if (shape === 'plain')
              expect(back).toEqual(
                messages.map((message, at) => ({ ...message, parentId: messages[at - 1]?.id ?? null })),
              );
          }),
          runs,
        );
      },
      unhurried,
    );
  },
);

/** The marks of a part that every shape keeps, and the call that it belongs to. */
function wordsOf(part: MessagePart): readonly string[] {
  const marks = (value: unknown): readonly string[] =>
    JSON.stringify(value).match(/mark\d+end(?:out|orders)?/g) ?? [];
  if (part.type === 'text') return marks(part.text);
  if (part.type === 'tool-call') return marks(part.input).map((mark) => `${part.toolCallId} ${mark}`);
  return part.type === 'tool-result' ? marks(part.output).map((mark) => `${part.toolCallId} ${mark}`) : [];
}

describe('what is exported', () => {
  it(
    'the validators of the AI SDK and AG-UI accept what is exported, and the JSON Schema its tree',
    async () => {
      const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as Schema;
      const validator = new Validator(schema, '2020-12', false);
      await fc.assert(
        fc.asyncProperty(conversation, async (list) => {
          const { messages = [] } = await importMessages(writers['ui of ai 4.2']?.(list), { trust: 'full' });
          // The AI SDK refuses a conversation without messages.
          fc.pre(messages.length > 0);
          const state = AgentState.create({ messages });
          const ui = JSON.parse(JSON.stringify(exportMessages(state, 'ui'))) as UIMessage[];
          expect(await safeValidateUIMessages({ messages: ui })).toMatchObject({ success: true });
          for (const message of exportMessages(state, 'ag-ui'))
            expect(MessageSchema.safeParse(message)).toMatchObject({ success: true });
          const plain: unknown = JSON.parse(JSON.stringify(exportMessages(state, 'plain')));
          expect(validator.validate(plain).errors).toEqual([]);
        }),
        runs,
      );
    },
    unhurried,
  );

  it(
    'every turn of Anthropic alternates, and its results follow their calls',
    async () => {
      await fc.assert(
        fc.asyncProperty(conversation, async (list) => {
          const { messages = [] } = await importMessages(writers['anthropic']?.(list));
          const { messages: turns } = exportMessages(AgentState.create({ messages }), 'anthropic');
          turns.forEach(({ role }, at) => expect(role).not.toBe(turns[at + 1]?.['role']));
          expect(await importMessages({ messages: turns }, { shape: 'anthropic' })).toMatchObject({
            left: [],
          });
        }),
        runs,
      );
    },
    unhurried,
  );

  it('Markdown names the speakers, and shows calls with their results', async () => {
    const { messages = [] } = await importMessages([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', function: { name: 'weather', arguments: '{"at":"Bern"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'Sunny ``` here' },
      { role: 'assistant', content: 'It is sunny.' },
    ]);
    expect(exportMessages(AgentState.create({ messages }), 'markdown')).toMatchInlineSnapshot(`
      "# Weather?

      ## User

      Weather?

      ## Assistant

      Called **weather**:

      \`\`\`
      {
        "at": "Bern"
      }
      \`\`\`

      Result of **weather** (completed):

      \`\`\`\`
      Sunny \`\`\` here
      \`\`\`\`

      It is sunny.
      "
    `);
  });

  it('what plugins told a model is in no shape of another library, and cuts no answer of the AI SDK', async () => {
    const clock = definePlugin({
      id: 'clock',
      state: z.unknown(),
      prepare: ({ stepNumber }) => ({ context: [{ name: 'Time', content: `${stepNumber} o'clock` }] }),
    });
    const look = defineTool({ name: 'look', description: '', input: z.object({}), execute: () => 'seen' });
    const script = [{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'Done.' }];
    const { state } = await runAgent(scriptedAgent(script, { plugins: [clock], tools: [look] }), 'Look.');
    expect(JSON.stringify(exportMessages(state, 'plain'))).toContain("2 o'clock");
    for (const shape of ['ui', 'openai', 'anthropic', 'ag-ui', 'markdown'] as const)
      expect(JSON.stringify(exportMessages(state, shape)), shape).not.toContain("o'clock");
    expect(exportMessages(state, 'ui').map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('an unknown shape is refused with the known ones', () => {
    expect(() => exportMessages(AgentState.create(), 'csv' as never)).toThrow(/use one of ui, openai/);
  });
});
