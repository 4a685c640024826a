import { defineAgent, defineHook, Message, proxyInference } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import theme from '@vitrine/react/theme.css?inline';
import { mountAgentDevtools } from '@vitrine/devtools';
import { createRoot } from 'react-dom/client';

/** A hook that keeps requests short, and drops the person's name. */
const saveTokens = defineHook({
  name: 'save-tokens',
  on: 'before-inference',
  run(_state, ctx) {
    const { request } = ctx.fields;
    if (request === undefined) return;
    const messages = request.messages.filter((one) => !Message.text(one).includes('Ada'));
    ctx.replace('request', { ...request, messages });
  },
});
const forgetful = defineAgent({
  name: 'forgetful',
  systemPrompt: 'Be kind.',
  inference: proxyInference({ url: '/api' }),
  hooks: [saveTokens],
});

/** Shows a chat whose agent forgets a name, and the panel beside it. */
export function showForgetful(): void {
  document.head.append(Object.assign(document.createElement('style'), { textContent: theme }));
  const container = document.body.appendChild(document.createElement('div'));
  createRoot(container).render(<Chat agent={forgetful} />);
  mountAgentDevtools(document.body, { initialIsOpen: true, position: 'right' });
  document.documentElement.dataset['ready'] = 'yes';
}
