'use client';

import { defineAgent, useAgent } from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';

const agent = defineAgent({
  name: 'scribe',
  systemPrompt: '',
  inference: scriptedInference([{ chunks: ['the ', 'answer'] }]),
});

export function Chat({ name, sessionId }) {
  const { id, messages, status, budget, sendMessage } = useAgent(agent, { sessionId });
  return (
    <section aria-label={name} data-status={status} data-id={id ?? 'none'}>
      <p>{budget.steps.left} steps left</p>
      <ol>
        {messages.map((message) => (
          <li key={message.id}>
            {message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}
          </li>
        ))}
      </ol>
      <button type="button" onClick={() => void sendMessage('question')}>
        Ask {name}
      </button>
    </section>
  );
}
