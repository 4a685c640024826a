import * as z from 'zod';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { calls, callsAll, says, type SessionRun, tool, waitingCall } from './session-runs.fixture.ts';

const documents = [
  { id: 'doc_1', title: 'Refunds', text: 'Refunds take five days. Error reports go to the desk.' },
  { id: 'doc_2', title: 'Shipping', text: 'We ship to 30 countries. Ignore older price lists.' },
];
const refund = (needsApproval: boolean) =>
  tool('refund', 'Pays an order back', ({ orderId }) => ({ refunded: orderId ?? null }), { needsApproval });
const delegate = (agent: string, task: string) => calls('delegate', { agent, task });
const kid = (name: string, answer: string) =>
  scriptedAgent([says(answer)], { name, description: `Knows ${name}` });

/** Healthy runs with tools and subagents, as an application developer would write them. */
export const healthyTools: Readonly<Record<string, SessionRun>> = {
  'a question to documents': {
    script: [calls('search_docs', { query: 'refund time' }), says('Refunds take five days.')],
    init: { tools: [tool('search_docs', 'Searches the handbook', () => ({ documents }))] },
    play: ['How long do refunds take?'],
  },
  'a search whose result is most of the input': {
    script: [
      calls('search_docs', { query: 'all' }),
      says('Here is a summary.', { inputTokens: 2600, outputTokens: 80 }),
    ],
    init: {
      tools: [
        tool('search_docs', 'Searches the handbook', () => 'A paragraph of the handbook. '.repeat(300)),
      ],
    },
    play: ['Summarise the handbook'],
  },
  'a job that is polled until it is done': {
    script: [
      calls('start_export', { format: 'csv' }),
      ...Array.from({ length: 4 }, () => calls('export_status', { jobId: 'job_7' })),
      says('Your export is ready.'),
    ],
    init: () => {
      let asked = 0;
      return {
        tools: [
          tool('start_export', 'Starts an export of all orders', () => ({ jobId: 'job_7' })),
          tool('export_status', 'Tells how far an export is', () =>
            ++asked < 4 ? { status: 'running', percent: asked * 25 } : { status: 'done', url: '/export.csv' },
          ),
        ],
      };
    },
    play: ['Export my orders'],
  },
  'a wrong argument that the model corrects': {
    script: [calls('weather', { town: 'Rome' }), calls('weather', { city: 'Rome' }), says('It is sunny.')],
    init: {
      tools: [
        defineTool({
          name: 'weather',
          description: 'Tells the weather',
          input: z.object({ city: z.string() }),
          execute: () => 'sunny',
        }),
      ],
    },
    play: ['Weather in Rome?'],
  },
  'a service that fails once and works when asked again': {
    script: [calls('stock', { sku: 'A1' }), calls('stock', { sku: 'A1' }), says('There are 4.')],
    init: () => {
      let asked = 0;
      return {
        tools: [
          tool('stock', 'Reads the stock', () => {
            if (++asked === 1) throw new Error('connect ETIMEDOUT');
            return { left: 4 };
          }),
        ],
      };
    },
    play: ['How many A1 are left?'],
  },
  'a trimming schema': {
    script: [calls('greet', { name: '  Ada ', age: '36' }), says('Done.')],
    init: {
      tools: [
        defineTool({
          name: 'greet',
          description: 'Greets a person',
          input: z.object({
            name: z.string().trim(),
            age: z.coerce.number(),
            loud: z.boolean().default(false),
          }),
          execute: ({ name }) => `Hello ${name}`,
        }),
      ],
    },
    play: ['Greet Ada'],
  },
  'a tool whose output schema hides internal fields': {
    script: [calls('user', { id: 'u_1' }), says('It is Ada.')],
    init: {
      tools: [
        defineTool({
          name: 'user',
          description: 'Reads a user',
          input: z.object({ id: z.string() }),
          output: z.object({ name: z.string() }),
          execute: () => ({ name: 'Ada', passwordHash: 'x' }),
        }),
      ],
    },
    play: ['Who is u_1?'],
  },
  'a tool that takes eight seconds': {
    script: [calls('render', { scene: 'beach' }), says('Rendered.')],
    init: (env) => ({
      tools: [
        tool(
          'render',
          'Renders a film',
          async () => (await Promise.resolve(), env.advance(8000), 'film.mp4'),
        ),
      ],
    }),
    play: ['Render the beach'],
  },
  'a person who approves a refund': {
    script: [calls('refund', { orderId: 'o_5' }), says('It is paid back.')],
    init: { tools: [refund(true)] },
    async play(session, env) {
      const turn = session.sendMessage('Pay order o_5 back');
      const id = await waitingCall(session);
      env.advance(12_000);
      await session.approve(id);
      await turn;
    },
  },
  'a person who rejects a refund': {
    script: [calls('refund', { orderId: 'o_5' }), says('Then I leave it.')],
    init: { tools: [refund(true)] },
    async play(session) {
      const turn = session.sendMessage('Pay order o_5 back');
      await session.reject(await waitingCall(session), { reason: 'Too much' });
      await turn;
    },
  },
  'a person who corrects the amount': {
    script: [calls('refund', { orderId: 'o_5', amount: 50 }), says('It is paid back.')],
    init: { tools: [refund(true)] },
    async play(session) {
      const turn = session.sendMessage('Pay order o_5 back');
      await session.approve(await waitingCall(session), { input: { orderId: 'o_5', amount: 40 } });
      await turn;
    },
  },
  'a hook that blocks deletions': {
    script: [calls('delete_file', { path: 'a.txt' }), says('I may not delete files.')],
    init: {
      tools: [tool('delete_file', 'Deletes a file', () => 'gone')],
      hooks: [
        defineHook({
          name: 'read-only',
          on: 'before-tool-use',
          run: (_state, ctx) => {
            if (ctx.fields.toolCall?.name.startsWith('delete')) ctx.block('This workspace is read-only.');
          },
        }),
      ],
    },
    play: ['Delete a.txt'],
  },
  'a hook that masks card numbers in results': {
    script: [calls('payment', { id: 'p_1' }), says('It was paid by card.')],
    init: {
      tools: [tool('payment', 'Reads a payment', () => ({ card: '4111 1111 1111 1111', amount: 12 }))],
      hooks: [
        defineHook({
          name: 'mask-cards',
          on: 'after-tool-use',
          run(_state, ctx) {
            const execution = ctx.fields.execution!;
            ctx.replace('execution', { ...execution, result: { card: '[card]', amount: 12 } });
          },
        }),
      ],
    },
    play: ['How was p_1 paid?'],
  },
  'a hook that fills in the tenant': {
    script: [calls('orders', { limit: 5 }), says('You have five orders.')],
    init: {
      tools: [tool('orders', 'Lists orders', () => [1, 2, 3, 4, 5])],
      hooks: [
        defineHook({
          name: 'tenant',
          on: 'before-tool-use',
          run(_state, ctx) {
            const call = ctx.fields.toolCall!;
            ctx.replace('toolCall', {
              ...call,
              input: { ...(call.input as object), tenant: 't_1' } as never,
            });
          },
        }),
      ],
    },
    play: ['My orders?'],
  },
  'research that is split among three subagents': {
    script: [
      {
        toolCalls: ['flights for 2 people', 'hotels below 120 euros', 'museums'].map((task, at) => ({
          name: 'delegate',
          input: { agent: ['flights', 'hotels', 'museums'][at]!, task: `Find ${task}.` },
        })),
        usage: { inputTokens: 500, outputTokens: 90 },
      },
      says('Here is the plan.'),
    ],
    init: { subagents: ['flights', 'hotels', 'museums'].map((name) => kid(name, `Found ${name}.`)) },
    play: ['Plan 3 days in Rome for 2 people from 12 May, hotel below 120 euros, flight before 9:30.'],
  },
  'a translator that gets a part of the text': {
    script: [delegate('german', 'Translate: Good morning'), says('Guten Morgen')],
    init: { subagents: [kid('german', 'Guten Morgen')] },
    play: ['Translate the title of "report-2026.pdf", which is Good morning, for ada@example.org'],
  },
  'a writer and a reviewer who take three rounds': {
    script: [
      delegate('writer', 'Write a slogan for tea'),
      delegate('reviewer', 'Review: Tea for you'),
      delegate('writer', 'Improve: Tea for you. The reviewer wants it shorter'),
      delegate('reviewer', 'Review: Tea.'),
      says('Tea.'),
    ],
    init: { subagents: [kid('writer', 'Tea for you'), kid('reviewer', 'Make it shorter')] },
    play: ['Write a slogan for tea and have it reviewed'],
  },
  'a list that is read page by page': {
    script: [
      calls('list_issues', {}),
      calls('list_issues', { cursor: 'c2' }),
      says('There are three issues.'),
    ],
    init: {
      tools: [
        tool('list_issues', 'Lists issues', ({ cursor }) =>
          cursor === 'c2' ? { issues: [3], nextCursor: null } : { issues: [1, 2], nextCursor: 'c2' },
        ),
      ],
    },
    play: ['How many issues are there?'],
  },
  'the five newest of many': {
    script: [calls('list_issues', { limit: 5 }), says('The newest is about the login.')],
    init: {
      tools: [tool('list_issues', 'Lists issues', () => ({ issues: [1, 2, 3, 4, 5], hasMore: true }))],
    },
    play: ['What are the five newest issues?'],
  },
  'a chain by ids': {
    script: [
      calls('find_customer', { name: 'Ada' }),
      calls('list_orders', { customerId: 'cus_42' }),
      calls('get_order', { orderId: 'ord_7' }),
      says('The order is on its way.'),
    ],
    init: {
      tools: [
        tool('find_customer', 'Finds a customer by name', () => ({ id: 'cus_42', name: 'Ada' })),
        tool('list_orders', 'Lists the orders of a customer', () => ({ orders: [{ id: 'ord_7' }] })),
        tool('get_order', 'Reads one order', () => ({ id: 'ord_7', customerId: 'cus_42', status: 'sent' })),
      ],
    },
    play: ['Where is the last order of Ada?'],
  },
  'ten calls at once': {
    script: [
      callsAll(
        'price',
        Array.from({ length: 10 }, (_, at) => ({ sku: `s${at}` })),
      ),
      says('All cost 3.'),
    ],
    init: { tools: [tool('price', 'Reads the price of an article', () => 3)] },
    play: ['Compare the prices'],
  },
  'files that an agent reads and writes': {
    script: [
      calls('read_file', { path: 'src/a.ts' }),
      calls('write_file', { path: 'src/a.ts', text: 'export const a = 2;' }),
      calls('read_file', { path: 'src/a.ts' }),
      calls('run_tests', {}),
      says('I changed a to 2; all tests pass.'),
    ],
    init: {
      tools: [
        tool(
          'read_file',
          'Reads a file of the project',
          () => 'export const a = 1; // throw new Error("TODO")',
        ),
        tool('write_file', 'Writes a file of the project', () => ({ ok: true })),
        tool('run_tests', 'Runs the tests', () => ({ status: 'passed', failed: 0, errors: [] })),
      ],
    },
    play: ['Set a to 2'],
  },
  'a todo list in plugin state': {
    script: [
      callsAll('add_todo', [{ text: 'milk' }, { text: 'bread' }]),
      calls('done_todo', { text: 'milk' }),
      says('Bread is left.'),
    ],
    init: {
      plugins: [
        definePlugin({
          id: 'todos',
          state: z.object({ open: z.array(z.string()) }),
          initial: { open: [] },
          tools: [
            defineTool({
              name: 'add_todo',
              description: 'Adds a task',
              input: z.object({ text: z.string() }),
              execute({ text }, ctx) {
                ctx.own<{ open: string[] }>().update((state) => ({ open: [...(state?.open ?? []), text] }));
                return 'added';
              },
            }),
            defineTool({
              name: 'done_todo',
              description: 'Ends a task',
              input: z.object({ text: z.string() }),
              execute({ text }, ctx) {
                ctx
                  .own<{ open: string[] }>()
                  .update((state) => ({ open: (state?.open ?? []).filter((one) => one !== text) }));
                return 'done';
              },
            }),
          ],
        }),
      ],
    },
    play: ['Add milk and bread, then tick off the milk'],
  },
  'a web page that a tool read': {
    script: [calls('read_page', { url: 'https://example.org' }), says('The page sells tea.')],
    init: {
      tools: [
        tool(
          'read_page',
          'Reads a web page',
          () => 'Buy tea. You must be 18 to order. Please call us for the newsletter.',
        ),
      ],
    },
    play: ['What does example.org sell?'],
  },
  'two readers with similar descriptions': {
    script: [
      calls('get_user', { id: 'u_1' }),
      calls('get_team', { id: 't_1' }),
      says('Ada is in the red team.'),
    ],
    init: {
      tools: [
        tool('get_user', 'Reads a user by its id from the database', () => ({ name: 'Ada', team: 't_1' })),
        tool('get_team', 'Reads a team by its id from the database', () => ({ name: 'red' })),
      ],
    },
    play: ['Which team is u_1 in?'],
  },
  'a run that a limit of steps ends and a person continues': {
    script: [calls('work', { at: 1 }), calls('work', { at: 2 }), says('Finished.')],
    init: { tools: [tool('work', 'Does a part', () => 'ok')], budget: { maxSteps: 2 } },
    async play(session) {
      await session.sendMessage('Do three parts');
      await session.continueRun({ grant: { steps: 2 } });
    },
  },
  'a call that waits for an answer of the interface': {
    script: [calls('pick_date', {}), says('The 3rd it is.')],
    init: {
      tools: [defineTool({ name: 'pick_date', description: 'Lets the person choose', input: z.object({}) })],
    },
    async play(session) {
      const turn = session.sendMessage('Book a table');
      await session.respond(await waitingCall(session), { date: '2026-02-03' });
      await turn;
    },
  },
};
