import * as z from 'zod';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { summarizeHistory } from '@vitrine/core/internal/agent/guards/summarize-history';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { calls, says, type SessionRun, tool } from './session-runs.fixture.ts';

const usersOf = (session: AgentSession): readonly { id: string }[] =>
  messages(session.store.getState().state).filter(({ role }) => role === 'user');

const longTalk = Array.from(
  { length: 12 },
  (_, day) => `Tell me about day ${day + 1} of the trip in Lisbon.`,
);
const talk = longTalk.map((_, day) =>
  says(`Day ${day + 1}: walk up to the castle, then eat at the harbour.`),
);
const png = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=', filename: 'receipt.png' } as const;

/** Healthy conversations that use no tools or few, as an application developer would write them. */
export const healthyChats: Readonly<Record<string, SessionRun>> = {
  'a greeting': { script: [says('Hello, how can I help?')], play: ['Hi'] },
  'a chat of twelve turns': { script: talk, play: longTalk },
  'a chat with a window of the last six messages': {
    script: talk,
    init: { compileMessages: (state) => messages(state).slice(-6) },
    play: longTalk,
  },
  'a chat whose history is summarised': {
    script: talk,
    init: { hooks: [summarizeHistory({ maxTokens: 200, summarize: () => 'They plan a trip to Lisbon.' })] },
    play: longTalk,
  },
  'a person who asks the same question a minute later': {
    script: [says('It is 12 degrees.'), says('It is still 12 degrees.')],
    play: ['How warm is it?', 'How warm is it?'],
  },
  'a person who says yes twice': {
    script: [says('Shall I go on?'), says('And with the second part?'), says('All done.')],
    play: ['Write the report', 'yes', 'yes'],
  },
  'a reasoning model that thinks for long': {
    script: [
      {
        text: 'The answer is 391.',
        reasoning: 'Seventeen times twenty-three. '.repeat(200),
        usage: { inputTokens: 60, outputTokens: 2600, reasoningTokens: 2580 },
      },
    ],
    play: ['What is 17 * 23?'],
  },
  'a cheap server that reports no usage': {
    script: [{ text: 'Hello.', usage: null }],
    init: { budget: { maxSteps: 10 } },
    play: ['Hi'],
  },
  'a server without usage and a limit of seconds': {
    script: [{ text: 'Hello.', usage: null }],
    init: { budget: { maxSeconds: 60 } },
    play: ['Hi', 'And again'],
  },
  'two quick retries after 429': {
    script: [
      { error: { code: 'rate-limited', message: 'Too many requests', retryable: true } },
      { error: { code: 'rate-limited', message: 'Too many requests', retryable: true } },
      says('Here I am.'),
    ],
    play: ['Hi'],
  },
  'a chat with a picture': {
    script: [says('The receipt says 12.40.')],
    play: (session) => session.sendMessage({ text: 'Read this', files: [png] }),
  },
  'an answer as JSON of a schema': {
    script: [says('{"title":"Soup","minutes":30}')],
    init: { responseFormat: z.object({ title: z.string(), minutes: z.number() }) },
    play: ['A recipe'],
  },
  'an answer as JSON whose defaults are filled in': {
    script: [says('{"title":"Soup"}')],
    init: { responseFormat: z.object({ title: z.string(), servings: z.number().default(2) }) },
    play: ['A recipe'],
  },
  'a classifier at temperature 0': {
    script: [says('spam', { inputTokens: 300, outputTokens: 1 })],
    init: { llmConfig: { model: 'small', settings: { temperature: 0, maxOutputTokens: 20 } } },
    play: ['You have won a prize, click here'],
  },
  'a story at temperature 1': {
    script: [says('Once upon a time there was a lighthouse that feared the dark.')],
    init: { llmConfig: { model: 'small', settings: { temperature: 1 } } },
    play: ['Tell me a story'],
  },
  'a turn of another model': {
    script: [says('Short.'), says('A long and deep answer.')],
    async play(session) {
      await session.sendMessage('Quick one');
      await session.sendMessage('Now think hard', { model: 'large' });
    },
  },
  'an edited question': {
    script: [says('Rome is in Italy.'), says('Paris is in France.')],
    async play(session, env) {
      await session.sendMessage('Where is Rome?');
      env.advance(20_000);
      await session.edit(usersOf(session)[0]!.id, 'Where is Paris?');
    },
  },
  'an answer that is asked for again': {
    script: [says('A poem.'), says('A better poem.')],
    async play(session, env) {
      await session.sendMessage('Write a poem');
      env.advance(9000);
      await session.regenerate();
    },
  },
  'a person who looks at an older branch and goes back': {
    script: [says('Rome is in Italy.'), says('Paris is in France.'), says('It has two million people.')],
    async play(session) {
      await session.sendMessage('Where is Rome?');
      const [first] = usersOf(session);
      await session.edit(first!.id, 'Where is Paris?');
      const [second] = usersOf(session);
      await session.switchBranch(first!.id);
      await session.switchBranch(second!.id);
      await session.sendMessage('How many people?');
    },
  },
  'a prompt with the date of today': {
    script: [says('Today is Thursday.'), says('Tomorrow is Friday.')],
    init: {
      hooks: [
        defineHook({
          name: 'today',
          on: 'before-execution',
          run: (state) => ({
            ...state,
            context: { ...state.context, systemPrompt: 'Be brief. Today is 2026-01-01.' },
          }),
        }),
      ],
    },
    play: ['What day is it?', 'And tomorrow?'],
  },
  'a hook that masks mail addresses before the model': {
    script: [says('I have noted the address.')],
    init: {
      hooks: [
        defineHook({
          name: 'mask',
          on: 'before-inference',
          run(_state, ctx) {
            const request = ctx.fields.request!;
            ctx.replace(
              'request',
              JSON.parse(JSON.stringify(request).replaceAll('ada@example.org', '[mail]')) as never,
            );
          },
        }),
      ],
    },
    play: ['My mail is ada@example.org'],
  },
  'a hook that sends short questions to a small model': {
    script: [says('Four.')],
    init: {
      hooks: [
        defineHook({
          name: 'route',
          on: 'before-inference',
          run: (_state, ctx) => ctx.replace('request', { ...ctx.fields.request!, model: 'small' }),
        }),
      ],
    },
    play: ['2 + 2?'],
  },
  'two hooks that write metadata in their order': {
    script: [says('Hello.')],
    init: {
      hooks: ['language', 'tone'].map((name, at) =>
        defineHook({
          name,
          on: 'before-step',
          priority: -at,
          run: (state) => ({
            ...state,
            context: {
              ...state.context,
              metadata: { ...state.context.metadata, [name]: 'en', last: name, count: at },
            },
          }),
        }),
      ),
    },
    play: ['Hi'],
  },
  'a plugin that tells the contents of a cart': {
    script: [says('Your cart has a book.'), says('It costs 12.')],
    init: {
      plugins: [
        definePlugin({
          id: 'cart',
          state: z.object({ items: z.array(z.string()) }),
          initial: { items: ['book'] },
          prepare: ({ get }) => ({ context: [{ name: 'cart', content: get()?.items.join() ?? '' }] }),
        }),
      ],
    },
    play: ['What is in my cart?', 'What does it cost?'],
  },
  'a plugin that tells the page in view while tools run': {
    script: [calls('scroll', { to: 2 }), calls('scroll', { to: 3 }), says('It is on page 3.')],
    init: {
      plugins: [
        definePlugin({
          id: 'page',
          state: z.number(),
          initial: 1,
          prepare: ({ get }) => ({ context: [{ name: 'page', content: `Page ${get() ?? 1}` }] }),
          tools: [
            tool('scroll', 'Scrolls to a page', ({ to }, ctx) => (ctx.own<number>().set(Number(to)), 'ok')),
          ],
        }),
      ],
    },
    play: ['Where is the index?'],
  },
  'a plugin whose memory lasts for one run by design': {
    script: [calls('note', { text: 'one' }), says('Noted.'), calls('note', { text: 'two' }), says('Noted.')],
    init: {
      plugins: [
        definePlugin({
          id: 'scratch',
          persist: 'execution',
          state: z.object({ notes: z.array(z.string()) }),
          initial: { notes: [] },
          tools: [tool('note', 'Writes a note for the current task', ({ text }) => `Noted ${String(text)}`)],
        }),
      ],
    },
    play: ['Note one', 'Note two'],
  },
  'a person who steers a running answer': {
    script: [calls('search', { q: 'hotels' }), says('Here are hostels.')],
    init: { tools: [tool('search', 'Searches the web', () => ({ hits: ['Hostel One'] }))] },
    async play(session) {
      const turn = session.sendMessage('Find hotels');
      await session.sendMessage('Hostels, please', { onBusy: 'steer' });
      await turn;
    },
  },
  'a message that waits in the queue': {
    script: [says('One.'), says('Two.')],
    async play(session) {
      const turns = [session.sendMessage('First thing'), session.sendMessage('Second thing')];
      await Promise.all(turns);
    },
  },
  'a tool that finds nothing': {
    script: [calls('lookup', { word: 'qwzx' }), says('There is no such word.')],
    init: { tools: [tool('lookup', 'Looks a word up', () => ({ found: false, error: null, results: [] }))] },
    play: ['What does qwzx mean?'],
  },
};
