import {
  AgentProvider,
  AgentSessionProvider,
  AgentState,
  defineAgent,
  defineTool,
  memorySessions,
} from '@vitrine/react';
import {
  Activity,
  Approvals,
  Composer,
  ConversationView,
  Notices,
  SessionList,
  toolView,
} from '@vitrine/react/components';
import { QueryClient } from '@tanstack/react-query';
import { scriptedInference } from '@vitrine/testing';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  input: z.object({
    to: z.email().describe('Who gets it'),
    subject: z.string(),
    urgency: z.enum(['low', 'high']),
    copies: z.int().optional(),
    tags: z.array(z.string()),
  }),
  needsApproval: true,
  execute: ({ to, subject }) => `Sent “${subject}” to ${to}`,
});

const dump = defineTool({
  name: 'dump',
  description: 'Gives much',
  input: z.object({ rows: z.int() }),
  execute: ({ rows }) => Array.from({ length: rows }, (_, row) => ({ row, text: 'x'.repeat(40) })),
});

const askColour = defineTool({
  name: 'ask_colour',
  description: 'Asks the person',
  input: z.object({ question: z.string() }),
  output: z.object({ colour: z.string() }),
});

const colourView = toolView(askColour, ({ status, input, output, respond }) =>
  status === 'awaiting-output' ? (
    <p>
      {input.question} <button onClick={() => void respond({ colour: 'green' })}>Green</button>
    </p>
  ) : (
    <p>{output === null ? 'No colour' : `It is ${output.colour}`}</p>
  ),
);
const views = [colourView];

const mail = { to: 'ann@example.org', subject: 'Friday', urgency: 'low', tags: ['demo'] };
const words = Array.from({ length: 400 }, (_, at) => `word${at} `);
const lines = Array.from({ length: 60 }, (_, at) => `line${at}\n`.repeat(12));
const inference = scriptedInference([
  ({ messages }) => {
    const last = messages.at(-1);
    const text = last?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
    if (last?.role === 'tool') return { text: 'That is done.' };
    if (text.includes('mail')) return { toolCalls: [{ name: 'send_mail', input: mail }] };
    if (text.includes('dump')) return { toolCalls: [{ name: 'dump', input: { rows: 8000 } }] };
    if (text.includes('colour'))
      return { toolCalls: [{ name: 'ask_colour', input: { question: 'Which?' } }] };
    if (text.includes('tall')) return { chunks: lines, delayMs: 60 };
    return { chunks: words, delayMs: 8 };
  },
]);
const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference, tools: [sendMail, dump, askColour] });

/** A frame of an application: a column for the list, and one in which the message box is below the messages. */
const frame = {
  position: 'fixed',
  // Beside the panel of the demo.
  inset: '0 var(--vitrine-devtools-right, 0px) 0 0',
  display: 'grid',
  gridTemplate: 'minmax(0, 1fr) / 260px minmax(0, 1fr)',
} as const;
const column = { display: 'flex', flexDirection: 'column', minHeight: 0 } as const;

function Page({ messages }: { readonly messages: number }): ReactNode {
  const initialState = Array.from({ length: messages }).reduce<AgentState>(
    (state, _, at) =>
      AgentState.withUserMessage(state, `Message ${at} ${'lorem ipsum '.repeat((at * 7) % 60)}`),
    AgentState.create(),
  );
  return (
    <AgentProvider sessions={memorySessions()} queryClient={new QueryClient()}>
      <div style={frame}>
        <SessionList currentId="one" onOpen={() => undefined} />
        <AgentSessionProvider agent={agent} initialState={initialState}>
          <main style={column}>
            <h1 className="vitrine-unseen">Components</h1>
            <ConversationView tools={views} empty={<p>Nothing yet</p>}>
              <Activity />
              <Approvals />
            </ConversationView>
            <Notices />
            <Composer />
          </main>
        </AgentSessionProvider>
      </div>
    </AgentProvider>
  );
}

/** Puts a page of nothing but the components in the place of the one that is there. */
export function showComponents(messages: number): void {
  const container = document.createElement('div');
  document.body.replaceChildren(container);
  createRoot(container).render(<Page messages={messages} />);
}
