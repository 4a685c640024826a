import { askUser } from '@vitrine/plugins/ask-user';
import { compaction } from '@vitrine/plugins/compaction';
import { notesPlugin } from '@vitrine/plugins/notes';
import { todoPlugin } from '@vitrine/plugins/todo';
import { browserSessions, defineAgent, defineTool, useAgentSession } from '@vitrine/react';
import { Chat, type Menus } from '@vitrine/react/components';
import theme from '@vitrine/react/theme.css?inline';
import { scriptedInference } from '@vitrine/testing';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { starterStyles } from './starter-styles.ts';

const book = defineTool({
  name: 'book_table',
  description: 'Books a table',
  input: z.object({ guests: z.int(), name: z.string() }),
  needsApproval: true,
  execute: ({ guests, name }) => `Booked for ${guests}, in the name of ${name}`,
});

const markdown = `## A plan

A *table* for **two**, as \`book_table\` does it:

1. Ask for the number of guests
2. Wait for an answer

> It may take a minute.

\`\`\`ts
const table = await book({ guests: 2 });
\`\`\`

| Day    | Seats |
| ------ | ----: |
| Friday |     4 |

See [the restaurant](https://example.org/tables).
`;

const inference = scriptedInference([
  ({ messages }) => {
    const last = messages.at(-1);
    const text = last?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
    if (last?.role === 'tool') return { text: 'Your table is booked.' };
    if (text.startsWith('Repeat')) return { text: `I was asked: ${text}` };
    if (text.includes('book'))
      return { toolCalls: [{ name: 'book_table', input: { guests: 2, name: 'Ann' } }] };
    if (text.includes('long')) return { text: 'word '.repeat(400), chunks: 400, delayMs: 20 };
    if (text.includes('fail')) return { error: { message: 'The kitchen is closed.' } };
    return { reasoning: 'Tables, then a plan.', text: markdown, chunks: 20, delayMs: 5 };
  },
]);
const assistant = defineAgent({ name: 'assistant', systemPrompt: 'S', inference, tools: [book] });

const look = defineTool({
  name: 'look',
  description: 'Looks',
  input: z.object({ page: z.int() }),
  execute: ({ page }) => `Page ${page}`,
});
/** An agent whose steps read what they sent before from a cache; its client tells the prices. */
const priced = defineAgent({
  name: 'reader',
  systemPrompt: 'S',
  tools: [look],
  inference: {
    ...scriptedInference(
      [1, 2, 3, 4].map((n) => ({
        ...(n < 4 ? { toolCalls: [{ name: 'look', input: { page: n } }] } : { text: 'All is read.' }),
        usage: {
          inputTokens: 2000 + n * 1000,
          cacheReadTokens: n === 1 ? 0 : 1000 + n * 1000,
          cacheWriteTokens: 1000,
          outputTokens: 120,
          reasoningTokens: 40,
          cost: 0.01,
        },
      })),
    ),
    price: () => Promise.resolve({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }),
  },
  llmConfig: { model: 'claude-sonnet-5', settings: {} },
  budget: { maxSteps: 10, maxTokens: 200_000, maxCost: 1 },
});

const questions = [
  {
    question: 'Which colour?',
    header: 'Paint',
    options: [{ label: 'red', description: 'Warm' }, { label: 'blue' }],
  },
  { question: 'Which rooms?', options: [{ label: 'hall' }, { label: 'attic' }], multiSelect: true },
];
const plan = {
  name: 'todo_write',
  input: { todos: ['Buy paint', 'Paint'].map((content) => ({ content, status: 'pending' })) },
};
const note = { name: 'write_note', input: { key: 'shop', value: 'Open until six' } };
/** An agent with capabilities: it plans, notes and asks, and says whether a note is there. */
const painter = defineAgent({
  name: 'painter',
  plugins: [todoPlugin(), notesPlugin()],
  tools: [askUser()],
  inference: scriptedInference([
    ({ messages }) => {
      const text = JSON.stringify(messages.slice(messages.findLastIndex(({ role }) => role === 'user')));
      if (text.includes('the note again')) {
        const again = text.includes('"write_note"');
        return again
          ? { text: `Noted? ${/has deleted/.test(text) ? 'No.' : 'Yes.'}` }
          : { toolCalls: [note] };
      }
      if (text.includes('"ask_user"') && text.includes('selected')) return { text: 'Painted.' };
      return text.includes('"todo_write"')
        ? { toolCalls: [{ name: 'ask_user', input: { questions } }] }
        : { toolCalls: [plan, note] };
    },
  ]),
});

/** An agent whose window holds one long answer. */
const forgetful = defineAgent({
  name: 'forgetful',
  plugins: [compaction({ contextWindow: 400 })],
  inference: scriptedInference([
    { text: 'A long report. '.repeat(80) },
    { text: 'They have a report.' },
    { text: 'Of cranes.' },
  ]),
});

const served = ['Sol', 'Luna', ...Array.from({ length: 8 }, (_, at) => `Model ${at + 1}`)].map(
  (name, at) => ({
    id: `p:${name}`,
    name,
    provider: 'openai',
    default: at === 0,
    ...(name === 'Luna' && { reasoning: ['off', 'high'], price: { input: 1.25, output: 10 } }),
  }),
);
const proxy = { fetch: () => Promise.resolve(Response.json({ models: served })) };
/** An agent that says which model answers. */
const frank = defineAgent({
  name: 'frank',
  inference: scriptedInference([
    ({ model, settings }) => ({
      text: `${model} thinks ${String(settings['reasoning'])}.`,
      chunks: 8,
      // Long enough for a busy machine to see it run.
      delayMs: 400,
    }),
  ]),
});

const places = ['Bern', 'Berlin', 'Bergen', 'Basel', 'Köln'];
const verbs = [
  'translate',
  'plan',
  'place',
  'shorten',
  'explain',
  'compare',
  'list',
  'draw',
  'check',
  'mend',
];
/** Prompts that are filtered here, and places that are found somewhere else. */
const menus: Menus = {
  '/': [
    { label: 'repeat', description: 'Says what the model was asked', insert: 'Repeat' },
    ...verbs.map((label) => ({
      label,
      description: `Asks the model to ${label} a text, as long as it may be`,
    })),
  ],
  '@': async (query) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (query === 'fail') throw new Error('The map is closed.');
    return places.filter((place) => place.startsWith(query)).map((label) => ({ label }));
  },
};

/** Gives the test of the page its session, to wait until that is stored. */
function SessionOfPage(): null {
  Object.assign(window, { session: useAgentSession() });
  return null;
}

/**
 * Shows a chat as a page of an application does. `styles` names the styles of the application, which come
 * before the theme or, with `late`, after it.
 */
export function showChat(options: URLSearchParams): void {
  document.documentElement.style.colorScheme = 'light dark';
  document.documentElement.dir = options.get('dir') ?? 'ltr';
  const own = starterStyles[options.get('styles') ?? 'none'] ?? '';
  for (const text of options.has('late') ? [theme, own] : [own, theme]) {
    document.head.append(Object.assign(document.createElement('style'), { textContent: text }));
  }
  const container = document.body.appendChild(document.createElement('div'));
  container.id = 'root';
  const sessions = options.has('store') ? browserSessions() : undefined;
  const isPriced = options.has('usage');
  const isFrank = options.has('models');
  const suggestions = options.has('suggestions') && ['A plan, please', 'Something that takes long to read'];
  const agents = { usage: priced, plugins: painter, models: frank, compaction: forgetful };
  const [, agent = assistant] = Object.entries(agents).find(([name]) => options.has(name)) ?? [];
  const chat = (
    <Chat
      agent={agent}
      sessions={sessions}
      usage={isPriced}
      models={isFrank && proxy}
      feedback={options.has('feedback')}
      readAloud={options.has('aloud')}
      download={options.has('download')}
      dictation={options.has('dictation')}
      menus={options.has('menus') ? menus : undefined}
      suggestions={suggestions}
      readOnly={options.has('follow')}
    >
      <SessionOfPage />
    </Chat>
  );
  const boxed = (
    <div style={{ display: 'flex', flexDirection: 'column', width: 420, height: 500 }}>
      <h1>An application</h1>
      <Chat agent={assistant} layout="box" />
    </div>
  );
  const two = (
    <>
      <p>An application with two chats</p>
      <div style={{ display: 'flex', gap: 40, height: 500 }}>
        <Chat agent={assistant} layout="box" />
        <Chat agent={assistant} layout="box" />
      </div>
    </>
  );
  createRoot(container).render(options.has('two') ? two : options.has('box') ? boxed : chat);
}
