import { AgentState, allSections, defineAgent, definePlugin, defineTool } from '@vitrine/core';
import * as z from 'zod';
import { call, type Healthy, modelThatReads } from './reading-model.fixture.ts';

const capital = () =>
  defineAgent({
    name: 'capitals',
    inference: modelThatReads(({ asked }) => (asked.includes('Peru') ? 'Lima.' : 'Bern.')),
  });

const edited: Healthy = {
  name: 'edited-question',
  messages: ['What is the capital of Switzerland?'],
  says: 'Lima',
  agent: capital,
  async drive(session) {
    await session.sendMessage('What is the capital of Switzerland?');
    const [first] = AgentState.messages(session.store.getState().state);
    await session.edit(first?.id ?? '', 'What is the capital of Peru?');
  },
};

const regenerated: Healthy = {
  name: 'answered-once-more',
  messages: ['Give me a name for a cat.'],
  says: 'Minka',
  agent() {
    const names = ['Tiger', 'Minka'];
    return defineAgent({ name: 'names', inference: modelThatReads(() => `${names.shift() ?? 'Minka'}.`) });
  },
  async drive(session) {
    await session.sendMessage('Give me a name for a cat.');
    await session.regenerate();
  },
};

const longTalk: Healthy = {
  name: 'long-conversation-with-memory',
  messages: [
    'I am Ada.',
    ...Array.from({ length: 12 }, (_, index) => `Tell me fact ${index + 1} about tea.`),
    'Who am I?',
  ],
  says: 'Ada',
  agent: () =>
    defineAgent({
      name: 'talker',
      systemPrompt: 'You talk about tea.',
      inference: modelThatReads(({ asked, all }) => {
        if (asked.startsWith('Who')) return all.includes('I am Ada') ? 'You are Ada.' : 'I do not know.';
        return asked.startsWith('I am') ? 'Hello!' : `Here is one: ${asked.slice(8)}`;
      }),
    }),
};

const longWork: Healthy = {
  name: 'long-conversation-with-notes',
  messages: [
    ...Array.from({ length: 8 }, (_, index) => `Note item ${index + 1}.`),
    'How many notes are there?',
  ],
  says: '8 notes',
  agent(world) {
    const notes = definePlugin({
      id: 'notes',
      state: z.array(z.string()),
      initial: [],
      tools: [
        defineTool({
          name: 'note',
          description: 'Keeps a note',
          input: z.object({ text: z.string() }),
          execute({ text }, ctx) {
            world.effects.push('note');
            ctx.own<string[]>().update((old = []) => [...old, text]);
            return 'kept';
          },
        }),
      ],
      prepare: (ctx) => ({ context: [{ name: 'Notes', content: ctx.get()?.join('\n') || 'none' }] }),
    });
    return defineAgent({
      name: 'secretary',
      plugins: [notes],
      compileMessages: allSections,
      inference: modelThatReads(({ asked, results: [kept], all }) => {
        if (asked.startsWith('Note')) return kept ? 'Noted.' : call('note', { text: asked.slice(5) });
        const told = new Set([...all.matchAll(/item \d+/g)].map(([text]) => text));
        return `There are ${told.size} notes.`;
      }),
    });
  },
};

const recipe = z.object({ title: z.string(), minutes: z.number() });

const structured: Healthy = {
  name: 'structured-answer',
  messages: ['How do I make pancakes?'],
  says: 'Pancakes',
  agent: () =>
    defineAgent({
      name: 'cook',
      responseFormat: recipe,
      inference: modelThatReads(() => ({ text: '{"title": "Pancakes", "minutes": 20}', chunks: 4 })),
    }),
};

const structuredAgain: Healthy = {
  name: 'structured-answer-corrected-once',
  messages: ['How do I make pancakes?'],
  says: 'Pancakes',
  agent() {
    let tries = 0;
    return defineAgent({
      name: 'cook',
      responseFormat: recipe,
      inference: modelThatReads(() =>
        ++tries === 1 ? '{"title": "Pancakes", "minutes": "twenty"}' : '{"title": "Pancakes", "minutes": 20}',
      ),
    });
  },
};

/** Healthy conversations: edited, long, and with structured answers. */
export const healthyConversations: readonly Healthy[] = [
  edited,
  regenerated,
  longTalk,
  longWork,
  structured,
  structuredAgain,
];
