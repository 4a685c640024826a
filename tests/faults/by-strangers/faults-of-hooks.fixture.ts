import { defineAgent, defineHook, definePlugin, defineTool, Message, summarizeHistory } from '@vitrine/core';
import * as z from 'zod';
import { call, type Fault, modelThatReads, tool } from './reading-model.fixture.ts';

const droppedMessage: Fault = {
  name: 'hook-drops-a-message',
  part: /short-requests|Hi, I am Ada/,
  wish: { title: 'it should know my name', says: 'Ada' },
  cause: 'The hook `short-requests` keeps the last two messages, and the name stood before them.',
  messages: ['Hi, I am Ada.', 'I live in Bern.', 'Who am I?'],
  agent: (_world, mended) =>
    defineAgent({
      name: 'greeter',
      systemPrompt: 'You are a kind assistant.',
      hooks: mended
        ? []
        : [
            defineHook({
              name: 'short-requests',
              on: 'before-inference',
              run(_state, ctx) {
                const { request } = ctx.fields;
                if (!request) return;
                const system = request.messages.filter(({ role }) => role === 'system');
                const others = request.messages.filter(({ role }) => role !== 'system');
                ctx.replace('request', { ...request, messages: [...system, ...others.slice(-2)] });
              },
            }),
          ],
      inference: modelThatReads(({ asked, all }) => {
        if (!asked.includes('Who')) return 'Nice to meet you.';
        return all.includes('Ada') ? 'You are Ada.' : 'I do not know your name.';
      }),
    }),
};

const smallModel: Fault = {
  name: 'router-takes-the-small-model',
  part: /cheap/,
  wish: { title: 'it should multiply', says: '408' },
  cause: 'The hook `cheap` sends every short question to the small model, which cannot multiply.',
  messages: ['What is 17 * 24?'],
  agent: (_world, mended) =>
    defineAgent({
      name: 'tutor',
      llmConfig: { model: 'acme:large' },
      hooks: [
        defineHook({
          name: 'cheap',
          on: 'before-inference',
          run(_state, ctx) {
            const { request } = ctx.fields;
            const isShort = request && Message.text(request.messages.at(-1) ?? Message.user('')).length < 40;
            if (request && isShort && !mended) ctx.replace('request', { ...request, model: 'acme:small' });
          },
        }),
      ],
      inference: modelThatReads(({ request }) =>
        request.model === 'acme:large' ? '17 * 24 is 408.' : '17 * 24 is 398.',
      ),
    }),
};

const resettingPlugin: Fault = {
  name: 'plugin-resets',
  part: /profile/,
  wish: { title: 'it should know my name', says: 'Ada' },
  cause: 'The plugin keeps its state for one run only, so the profile is empty in the next one.',
  messages: ['Load my profile.', 'What is my name?'],
  agent(world, mended) {
    const profile = definePlugin({
      id: 'profile',
      state: z.object({ name: z.string() }),
      initial: { name: 'unknown' },
      persist: mended ? 'session' : 'execution',
      tools: [
        defineTool({
          name: 'loadProfile',
          description: 'Loads the profile of the person',
          input: z.object({}),
          execute(_input, ctx) {
            world.effects.push('loadProfile');
            ctx.own<{ name: string }>().set({ name: 'Ada' });
            return 'loaded';
          },
        }),
      ],
      prepare: (ctx) => ({ context: [{ name: 'Profile', content: `name: ${ctx.get()?.name}` }] }),
    });
    return defineAgent({
      name: 'assistant',
      plugins: [profile],
      inference: modelThatReads(({ asked, results, all }) => {
        if (asked.startsWith('Load')) return results[0] ? 'Your profile is loaded.' : call('loadProfile', {});
        return all.lastIndexOf('name: Ada') > all.lastIndexOf('name: unknown')
          ? 'You are Ada.'
          : 'Your profile has no name.';
      }),
    });
  },
};

const unreadMemory: Fault = {
  name: 'memory-that-nobody-reads',
  part: /memory/,
  wish: { title: 'it should remember my plan', says: 'Pro' },
  cause: 'The plugin `memory` keeps facts and has no `prepare`, so no request holds them.',
  messages: ['Look up which plan I have.', 'Which plan do I have?'],
  agent(world, mended) {
    const memory = definePlugin({
      id: 'memory',
      state: z.array(z.string()),
      initial: [],
      tools: [
        defineTool({
          name: 'lookUpPlan',
          description: 'Looks up the plan of the person and remembers it',
          input: z.object({}),
          execute(_input, ctx) {
            world.effects.push('lookUpPlan');
            ctx.own<string[]>().update((facts = []) => [...facts, 'The plan is Pro']);
            return 'remembered';
          },
        }),
      ],
      prepare: (ctx) =>
        mended ? { context: [{ name: 'Facts', content: ctx.get()?.join('\n') || 'none' }] } : {},
    });
    return defineAgent({
      name: 'account',
      plugins: [memory],
      inference: modelThatReads(({ asked, results, all }) => {
        if (asked.startsWith('Look')) return results[0] ? 'I have noted it.' : call('lookUpPlan', {});
        return all.includes('Pro') ? 'You have the plan Pro.' : 'I do not know your plan.';
      }),
    });
  },
};

const frozenDate: Fault = {
  name: 'date-of-the-build',
  part: /today/,
  wish: { title: 'it should know that today is Saturday', says: 'Saturday' },
  cause: 'The plugin `today` tells the date of the build in place of that of today.',
  messages: ['Which day is today?'],
  agent: (world, mended) =>
    defineAgent({
      name: 'clerk',
      plugins: [
        definePlugin({
          id: 'today',
          state: z.unknown(),
          prepare: () => ({
            context: [{ name: 'Today', content: mended ? 'Saturday, 28 November' : 'Monday, 2 March' }],
          }),
        }),
      ],
      tools: [
        tool(world, 'now', 'Tells the time', z.object({}), () => 'Saturday, 28 November', {
          idempotent: true,
        }),
      ],
      inference: modelThatReads(({ all, results: [now] }) => {
        const told = now?.text ?? /(Monday|Saturday), \d+ \w+/.exec(all)?.[0];
        return told ? `Today is ${/\w+day/.exec(told)?.[0]}.` : call('now', {});
      }),
    }),
};

const lossySummary: Fault = {
  name: 'summary-that-loses-a-fact',
  part: /summarize-history/,
  wish: { title: 'it must not recommend nuts', doesNotSay: 'nut cake' },
  cause: 'The summary of the history keeps 30 characters, and the allergy is behind them.',
  messages: [
    `I plan a birthday party for my son in the garden with ${'many '.repeat(30)}friends. I am allergic to nuts.`,
    `There is ${'a lot of '.repeat(20)}room in the garden.`,
    'Which cake do you recommend for me?',
  ],
  agent: (_world, mended) =>
    defineAgent({
      name: 'baker',
      hooks: [
        summarizeHistory({
          maxTokens: 60,
          maxBufferTokens: 20,
          summarize: ({ summary, messages }) =>
            `${summary} ${messages.map(Message.text).join(' ')}`.trim().slice(0, mended ? 2000 : 30),
        }),
      ],
      inference: modelThatReads(({ asked, all }) => {
        if (!asked.includes('cake')) return 'How nice!';
        return all.includes('allergic to nuts') ? 'Take the lemon cake.' : 'Take the nut cake.';
      }),
    }),
};

const clampedArgument: Fault = {
  name: 'hook-clamps-an-argument',
  part: /cheap-lists/,
  wish: { title: 'it should see all three tickets', says: '3 tickets' },
  cause: 'The hook `cheap-lists`, from a test, sets every limit to 1.',
  messages: ['How many tickets are open?'],
  agent: (world, mended) =>
    defineAgent({
      name: 'desk',
      hooks: [
        defineHook({
          name: 'cheap-lists',
          on: 'before-tool-use',
          run(_state, ctx) {
            const { toolCall } = ctx.fields;
            if (toolCall && !mended) ctx.replace('toolCall', { ...toolCall, input: { limit: 1 } });
          },
        }),
      ],
      tools: [
        tool(
          world,
          'tickets',
          'Lists open tickets',
          z.object({ limit: z.number() }),
          ({ limit }) => ['T1', 'T2', 'T3'].slice(0, limit),
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results: [tickets] }) =>
        tickets ? `There are ${(tickets.output as []).length} tickets.` : call('tickets', { limit: 50 }),
      ),
    }),
};

const greedyMask: Fault = {
  name: 'mask-that-hides-too-much',
  part: /mask-cards/,
  wish: { title: 'it should find my order', says: 'shipped' },
  cause: 'The hook `mask-cards` masks every number, so the model never sees the number of the order.',
  messages: ['Where is my order 4711?'],
  agent: (world, mended) =>
    defineAgent({
      name: 'orders',
      hooks: [
        defineHook({
          name: 'mask-cards',
          on: 'before-inference',
          run(_state, ctx) {
            const { request } = ctx.fields;
            if (!request) return;
            const numbers = mended ? /\b\d{16}\b/g : /\d{4}/g;
            const messages = request.messages.map((message) => ({
              ...message,
              parts: message.parts.map((part) =>
                part.type === 'text' ? { ...part, text: part.text.replace(numbers, '####') } : part,
              ),
            }));
            ctx.replace('request', { ...request, messages });
          },
        }),
      ],
      tools: [
        tool(world, 'order', 'Reads an order', z.object({ number: z.string() }), ({ number }) =>
          number === '4711' ? { state: 'shipped' } : null,
        ),
      ],
      inference: modelThatReads(({ asked, results: [order] }) => {
        if (!order) return call('order', { number: /order (\S+?)\?/.exec(asked)?.[1] ?? '' });
        return order.failed || order.output === null ? 'There is no such order.' : 'Your order was shipped.';
      }),
    }),
};

const staleCache: Fault = {
  name: 'cache-without-arguments',
  part: /cache/,
  wish: { title: 'it should compare both prices', says: '12' },
  cause:
    'A plugin caches results by the name of the tool only, so the second product gets the price of the first.',
  messages: ['What cost a lamp and a chair?'],
  agent(world, mended) {
    const cache = new Map<string, unknown>();
    const caching = definePlugin({
      id: 'cache',
      state: z.unknown(),
      async aroundTool({ toolCall }, next) {
        const key = mended ? `${toolCall.name} ${JSON.stringify(toolCall.input)}` : toolCall.name;
        const kept = cache.get(key) as Awaited<ReturnType<typeof next>> | undefined;
        if (kept) return kept;
        const outcome = await next();
        cache.set(key, outcome);
        return outcome;
      },
    });
    return defineAgent({
      name: 'catalogue',
      plugins: [caching],
      tools: [
        tool(
          world,
          'price',
          'Tells the price of a product',
          z.object({ product: z.string() }),
          ({ product }) => ({ euros: product === 'chair' ? 12 : 30 }),
          { idempotent: true },
        ),
      ],
      inference: modelThatReads(({ results: [lamp, chair] }) => {
        if (!lamp) return call('price', { product: 'lamp' });
        if (!chair) return call('price', { product: 'chair' });
        return `The lamp costs ${lamp.text}, the chair ${chair.text}.`;
      }),
    });
  },
};

/** Faults in hooks and plugins, which choose what the model reads. */
export const faultsOfHooks: readonly Fault[] = [
  droppedMessage,
  smallModel,
  resettingPlugin,
  unreadMemory,
  frozenDate,
  lossySummary,
  clampedArgument,
  greedyMask,
  staleCache,
];
