import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { calls, findingsOfSession, says, type SessionRun, tool } from './session-runs.fixture.ts';

/** A run of calls with the results of their tools. */
const asked = (
  question: string,
  ...steps: readonly (readonly [name: string, input: JsonObject, result: JsonValue])[]
): SessionRun => {
  const results = new Map<string, JsonValue[]>();
  for (const [name, , result] of steps) results.set(name, [...(results.get(name) ?? []), result]);
  return {
    script: [...steps.map(([name, input]) => calls(name, input)), says('That is done.')],
    init: {
      tools: [...results].map(([name, own]) =>
        tool(name, name.replaceAll('_', ' '), () => own.shift() ?? null),
      ),
    },
    play: [question],
  };
};
const order = { id: 'ord_7', customer: { id: 'cus_42' } };
const refund = (input: JsonObject, result: JsonValue = order, question = 'Pay the last order back') =>
  asked(question, ['get_order', { last: true }, result], ['refund', input, 'ok']);
const long = 'The handbook says much about this. '.repeat(30);
const reading = (result: JsonValue, ...more: readonly JsonValue[]) =>
  asked('What is in the log?', ...[result, ...more].map((one, from) => ['read_log', { from }, one] as const));
const answering = (text: string, stop: readonly string[]): SessionRun => ({
  script: [says(text)],
  init: { llmConfig: { model: 'm', settings: { stop: [...stop] } } },
  play: ['Hi'],
});
const delegating = (question: string, task: string): SessionRun => ({
  script: [calls('delegate', { agent: 'finder', task }), says('Found.')],
  init: { subagents: [scriptedAgent([says('Found it.')], { name: 'finder' })] },
  play: [question],
});
const booking = (start: string, more: JsonObject = {}, question = 'Book the first free slot') =>
  asked(
    question,
    ['free_slots', {}, { slots: ['2026-05-12T09:30:00Z', '2026-05-12T11:00:00Z'] }],
    ['book', { start, ...more }, 'booked'],
  );

/** A code, a part of its sentence, runs that have it, and healthy runs that are alike. */
const cases: readonly (readonly [
  code: string,
  says: RegExp,
  faults: Readonly<Record<string, SessionRun>>,
  twins: Readonly<Record<string, SessionRun>>,
])[] = [
  [
    'argument-mistaken',
    /of "refund" is "(cus_42|4711)", .* another kind: customer/,
    {
      'in an object of the result': refund({ orderId: 'cus_42' }),
      'in a list of objects': refund(
        { orderId: 'cus_42' },
        { orders: [{ id: 'ord_7' }], customers: [{ id: 'cus_42' }] },
      ),
      'in a list of ids': refund({ orderIds: ['cus_42'] }),
      'in a nested argument': refund({ payments: [{ order_id: 'cus_42' }] }),
      'under a key without "id"': refund({ order: 'cus_42' }),
      'of a result that is JSON as text': refund({ orderId: 'cus_42' }, JSON.stringify(order)),
      'of a result as MCP has it': refund(
        { orderId: 'cus_42' },
        { content: [{ type: 'text', text: JSON.stringify(order) }] },
      ),
      'as a number': refund({ orderId: 4711 }, { order: { id: 8150, customerId: 4711 } }),
    },
    {
      'an id of the wanted kind': refund({ orderId: 'ord_7', order: 'ord_7', orderIds: ['ord_7'] }),
      'a user who is the owner': asked(
        'Who owns it?',
        ['get_order', {}, { id: 'ord_7', ownerId: 'u_1', users: [{ id: 'u_2' }] }],
        ['get_user', { userId: 'u_1' }, { name: 'Ada' }],
      ),
      'small numbers that are equal by chance': refund(
        { orderId: 3 },
        { orders: [{ id: 1 }], customerId: 3 },
      ),
      'an id that the person named': refund(
        { orderId: 'X-5521' },
        { order: { id: 'ord_7', ticketId: 'X-5521' } },
        'Refund X-5521',
      ),
      'a tool that is named by how it finds': asked(
        'Orders of Ada?',
        ['find_customer_by_name', { name: 'Ada' }, { id: 'cus_42' }],
        ['list_orders', { customerId: 'cus_42' }, { orders: [{ id: 'ord_7', customerId: 'cus_9' }] }],
        ['list_orders', { customerId: 'cus_42', page: 2 }, { orders: [] }],
      ),
      'an id in a free text': refund({ orderId: 'ord_7', note: 'cus_42' }),
    },
  ],
  [
    'pages-unread',
    /cut its own result, and the model did not ask for the rest/,
    {
      'a text that says so': reading('GET / 200\n[truncated]'),
      'a text with the number that is left': reading('GET / 200\n... [1,204 more lines]'),
      'dots and a word': reading('GET / 200 ... (truncated)'),
      'a long text that ends with dots': reading(`${long}…`),
      'an object that says so': reading({ lines: ['GET / 200'], truncated: true }),
      'a text in an object': reading({ stdout: 'GET / 200\n<output truncated>', code: 0 }),
    },
    {
      'a rest that is asked for': reading('GET / 200\n[truncated]', 'GET /a 200'),
      'a short text that ends with dots': reading('Still working…'),
      'an object that is not cut': reading({ lines: ['GET / 200'], truncated: false }),
      'a text that speaks of it': reading('The table users was [truncated] at 12:00. All is well.'),
      'a number in brackets at the end': reading('id name\n1 Ada\n(1 row)'),
      'a long text with an end': reading(long),
    },
  ],
  [
    'settings-left',
    /the answer ends without an end/,
    {
      'a list': answering('The list:\n1. Tea\n2', ['\n3']),
      'code that is not closed': answering('Like so:\n```js\nrun();', ['```']),
      'the beginning of a list': answering('The steps are:', ['\n\n']),
      'a sentence': answering('The parcel arrives on Monday with', ['\n']),
    },
    {
      'a label': answering('positive', ['\n']),
      'a whole sentence': answering('It arrives on Monday.', ['\n']),
      'closed code': answering('Like so:\n```js\nrun();\n```', ['END']),
    },
  ],
  [
    'subagent-uninformed',
    /does not mention .*which the question does/,
    {
      'a name of two words': delegating(
        'please find the birthday of Ada Lovelace for me',
        'Find the birthday',
      ),
      'a number': delegating('Find flights for 12 people', 'Find flights'),
    },
    {
      'a part of the name': delegating(
        'please find the birthday of Ada Lovelace for me',
        'Birthday of Lovelace?',
      ),
      'a number that is written in another way': delegating(
        'Find hotels below 1,200€',
        'Hotels up to 1200 euros',
      ),
      'other letters': delegating('Translate "Good Morning"', 'Translate: good morning'),
      'a name in another language': delegating('¿qué tiempo hace en Roma?', 'Weather in Rome'),
    },
  ],
  [
    'zone-dropped',
    /gave "2026-05-12[T ]09:30(:00)?" to "book", and "free_slots" had told the time as "2026-05-12T09:30:00Z"/,
    {
      'a time without its zone': booking('2026-05-12T09:30:00'),
      'a time without seconds': booking('2026-05-12 09:30'),
    },
    {
      'the whole time': booking('2026-05-12T09:30:00Z'),
      'a zone beside it': booking('2026-05-12T11:30:00', { timeZone: 'Europe/Rome' }),
      'the same clock with its zone beside it': booking('2026-05-12T09:30:00', { timezone: 'UTC' }),
      'a time in another zone': booking('2026-05-12T11:30:00'),
      'a time that the person said': booking('2026-05-12T09:30:00', {}, 'Book 12 May at 09:30'),
    },
  ],
];

describe.each(cases)('the hint %s', (code, sentence, faults, twins) => {
  it.each(Object.entries(faults))('the cause is named with a remedy: %s', async (_what, run) => {
    const found = (await findingsOfSession(run)).filter((finding) => finding.code === code);
    expect(found.map(({ severity }) => severity)).toEqual(['hint']);
    expect(found[0]?.sentence).toMatch(sentence);
    expect(found[0]?.remedy).toMatch(/\.$/);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });

  it.each(Object.entries(twins))('a healthy run has no finding: %s', async (_what, run) => {
    expect((await findingsOfSession(run)).map((finding) => finding.code)).toEqual([]);
  });
});
