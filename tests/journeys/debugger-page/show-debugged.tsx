import { browserSessions, defineAgent, defineTool, proxyInference } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import theme from '@vitrine/react/theme.css?inline';
import { mountAgentDevtools } from '@vitrine/devtools';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount',
  input: z.object({ amount: z.number() }),
  async execute({ amount }) {
    // The server counts the payments, and may leave one without an answer.
    const response = await fetch(`/pay?amount=${amount}`, { method: 'POST' });
    return response.text();
  },
});
const payer = defineAgent({
  name: 'payer',
  systemPrompt: 'Pay what is asked for.',
  inference: proxyInference({ url: '/api' }),
  tools: [pay],
});

/** Shows a chat with a stored session, and the panel beside it. */
export function showDebugged(): void {
  document.head.append(Object.assign(document.createElement('style'), { textContent: theme }));
  const container = document.body.appendChild(document.createElement('div'));
  createRoot(container).render(<Chat agent={payer} sessions={browserSessions()} sessionId="debugged" />);
  mountAgentDevtools(document.body, { initialIsOpen: true, position: 'right' });
  document.documentElement.dataset['ready'] = 'yes';
}
