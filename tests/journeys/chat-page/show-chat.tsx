import { browserSessions, defineAgent, defineTool } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
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
    if (text.includes('book'))
      return { toolCalls: [{ name: 'book_table', input: { guests: 2, name: 'Ann' } }] };
    if (text.includes('long')) return { text: 'word '.repeat(400), chunks: 400, delayMs: 20 };
    if (text.includes('fail')) return { error: { message: 'The kitchen is closed.' } };
    return { reasoning: 'Tables, then a plan.', text: markdown, chunks: 20, delayMs: 5 };
  },
]);
const assistant = defineAgent({ name: 'assistant', systemPrompt: 'S', inference, tools: [book] });

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
  const chat = <Chat agent={assistant} sessions={sessions} />;
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
