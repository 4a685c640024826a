import { AgentState, defineAgent, defineHook, Message, summarizeHistory } from '@vitrine/core';
import * as z from 'zod';
import { healthyConversations } from './healthy-conversations.fixture.ts';
import { healthyTools } from './healthy-tools.fixture.ts';
import { call, type Healthy, modelThatReads, tool } from './reading-model.fixture.ts';

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const textOf = (message: Message, change: (text: string) => string): Message => ({
  ...message,
  parts: message.parts.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part)),
});

const masksCards: Healthy = {
  name: 'masks-card-numbers',
  meant: ['message-changed'],
  messages: ['My card 4111 1111 1111 1111 was charged twice. What can I do?'],
  says: 'bank',
  agent: () =>
    defineAgent({
      name: 'helpline',
      hooks: [
        defineHook({
          name: 'mask-cards',
          on: 'before-inference',
          run(_state, ctx) {
            const { request } = ctx.fields;
            if (!request) return;
            const mask = (text: string): string => text.replace(/(\d{4} ){3}(\d{4})/g, '**** $2');
            ctx.replace('request', {
              ...request,
              messages: request.messages.map((message) => textOf(message, mask)),
            });
          },
        }),
      ],
      inference: modelThatReads(
        ({ asked }) => `For the card ${/\*+ \d+/.exec(asked)?.[0]}, ask your bank for the money.`,
      ),
    }),
};

const masksResults: Healthy = {
  name: 'masks-addresses-in-results',
  meant: ['tool-result-changed'],
  messages: ['Who is on call tonight?'],
  says: 'Bea',
  agent: (world) =>
    defineAgent({
      name: 'on-call',
      hooks: [
        defineHook({
          name: 'mask-addresses',
          on: 'after-tool-use',
          run(_state, ctx) {
            const { execution } = ctx.fields;
            if (typeof execution?.result !== 'string') return;
            ctx.replace('execution', {
              ...execution,
              result: execution.result.replace(/\S+@\S+/g, '(address)'),
            });
          },
        }),
      ],
      tools: [
        tool(
          world,
          'onCall',
          'Tells who is on call',
          z.object({ day: z.string() }),
          () => 'Bea, bea@example.com, from 18:00',
        ),
      ],
      inference: modelThatReads(({ results: [who] }) =>
        who ? 'Bea is on call from 18:00.' : call('onCall', { day: 'today' }),
      ),
    }),
};

const lastMessages: Healthy = {
  name: 'window-of-six-messages',
  meant: ['messages-left-out'],
  messages: ['What is 1 + 1?', 'And 2 + 2?', 'And 3 + 3?', 'And 4 + 4?', 'And 5 + 5?'],
  says: '10',
  agent: () =>
    defineAgent({
      name: 'sums',
      systemPrompt: 'You add numbers.',
      compileMessages: (state) => AgentState.messages(state).slice(-6),
      inference: modelThatReads(({ asked }) => {
        const [a, b] = [...asked.matchAll(/\d+/g)].map(Number);
        return `It is ${(a ?? 0) + (b ?? 0)}.`;
      }),
    }),
};

const goodSummary: Healthy = {
  name: 'summary-of-the-history',
  meant: ['answer-replaced'],
  messages: [
    `I write a book about bees. ${'It has many chapters. '.repeat(15)}`,
    `The first one is about spring. ${'There are flowers. '.repeat(15)}`,
    'What is my book about?',
  ],
  says: 'bees',
  agent: () =>
    defineAgent({
      name: 'author',
      hooks: [
        summarizeHistory({
          maxTokens: 80,
          maxBufferTokens: 20,
          summarize: ({ summary, messages }) => ({
            text: `${summary} ${messages.map((message) => Message.text(message).split('. ')[0]).join('. ')}`.trim(),
            usage: { inputTokens: 60, outputTokens: 12 },
          }),
        }),
      ],
      inference: modelThatReads(({ all, asked }) =>
        asked.startsWith('What') ? `It is about ${all.includes('bees') ? 'bees' : 'something'}.` : 'I see.',
      ),
    }),
};

const researcher = (topic: string, finding: string) =>
  defineAgent({
    name: topic,
    description: `Looks up ${topic}`,
    systemPrompt: `You look up ${topic}.`,
    inference: modelThatReads(() => finding),
  });

const splitsWork: Healthy = {
  name: 'two-subagents-at-once',
  messages: ['Compare trains and flights to Rome.'],
  says: 'train takes 9 hours',
  agent: () =>
    defineAgent({
      name: 'planner',
      subagents: [
        researcher('trains', 'The train takes 9 hours.'),
        researcher('flights', 'The flight takes 2 hours.'),
      ],
      inference: modelThatReads(({ results: [trains, flights] }) =>
        trains && flights
          ? 'The train takes 9 hours, the flight 2.'
          : {
              toolCalls: ['trains', 'flights'].map((agent) => ({
                name: 'delegate',
                input: { agent, task: `How long to Rome? Look up ${agent}.` },
              })),
            },
      ),
    }),
};

const oneAfterTheOther: Healthy = {
  name: 'draft-then-review',
  messages: ['Write a slogan and have it checked.'],
  says: 'Fresh bread',
  agent: () =>
    defineAgent({
      name: 'editor',
      subagents: [
        researcher('writer', 'Fresh bread, every day.'),
        researcher('checker', 'The slogan is fine.'),
      ],
      inference: modelThatReads(({ results: [draft, check] }) => {
        if (!draft) return call('delegate', { agent: 'writer', task: 'Write a slogan for a bakery' });
        if (!check) return call('delegate', { agent: 'checker', task: `Check this slogan: ${draft.text}` });
        return 'Here it is: Fresh bread, every day.';
      }),
    }),
};

const refund = (world: Parameters<Healthy['agent']>[0]) =>
  defineAgent({
    name: 'refunds',
    tools: [
      tool(
        world,
        'refund',
        'Gives money back for an order',
        z.object({ order: z.string(), euros: z.number() }),
        ({ euros }) => `${euros} euros are on their way`,
        { needsApproval: true },
      ),
    ],
    inference: modelThatReads(({ results: [refunded] }) => {
      if (!refunded) return call('refund', { order: 'A-1', euros: 400 });
      return refunded.failed ? 'I give no money back, as you wish.' : `Done: ${String(refunded.output)}.`;
    }),
  });

const approved: Healthy = {
  name: 'approved-with-another-amount',
  messages: ['Give them their money back.'],
  says: '40 euros',
  agent: refund,
  async drive(session) {
    await session.sendMessage('Give them their money back.');
    const [waiting] = AgentState.pendingApprovals(session.store.getState().state);
    await session.approve(waiting?.id ?? '', { input: { order: 'A-1', euros: 40 } });
  },
};

const rejected: Healthy = {
  name: 'rejected-by-the-person',
  messages: ['Give them their money back.'],
  says: 'no money back',
  agent: refund,
  async drive(session) {
    await session.sendMessage('Give them their money back.');
    const [waiting] = AgentState.pendingApprovals(session.store.getState().state);
    await session.reject(waiting?.id ?? '', { reason: 'The order was delivered' });
  },
};

const menu = (world: Parameters<Healthy['agent']>[0]) =>
  defineAgent({
    name: 'menu',
    tools: [
      tool(
        world,
        'dishes',
        'Lists dishes',
        z.object({ kind: z.string() }),
        async ({ kind }) => {
          await soon(25);
          return kind === 'vegetarian' ? ['risotto'] : ['roast', 'risotto'];
        },
        { idempotent: true },
      ),
    ],
    inference: modelThatReads(({ asked, results: [dishes] }) =>
      dishes
        ? `I propose ${(dishes.output as string[])[0]}.`
        : call('dishes', { kind: asked.includes('meat') ? 'vegetarian' : 'all' }),
    ),
  });

const steered: Healthy = {
  name: 'steered-while-a-tool-runs',
  messages: ['Propose a dinner.', 'No meat, please.'],
  says: 'risotto',
  agent: menu,
  async drive(session) {
    const first = session.sendMessage('Propose a dinner.');
    await soon(10);
    await session.sendMessage('No meat, please.', { onBusy: 'steer' });
    await first;
  },
};

const queued: Healthy = {
  name: 'second-message-waits-in-the-queue',
  messages: ['Propose a dinner.', 'And one without meat.'],
  says: 'risotto',
  agent: menu,
  async drive(session) {
    const first = session.sendMessage('Propose a dinner.');
    await soon(5);
    await session.sendMessage('And one without meat.');
    await first;
  },
};

/** Thirty healthy runs that do remarkable but right things, by an author who had not read the detectors. */
export const healthyAgents: readonly Healthy[] = [
  ...healthyTools,
  ...healthyConversations,
  masksCards,
  masksResults,
  lastMessages,
  goodSummary,
  splitsWork,
  oneAfterTheOther,
  approved,
  rejected,
  steered,
  queued,
];
