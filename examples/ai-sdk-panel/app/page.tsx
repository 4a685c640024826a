'use client';

import { useChat } from '@ai-sdk/react';
import { AgentDevtools } from '@vitrine/devtools';
import { observeChat } from '@vitrine/ai-sdk/observe';
import { DefaultChatTransport } from 'ai';
import { useState } from 'react';

// The change: the panel watches the transport, and asks the server for prompts and usage.
const transport = observeChat(new DefaultChatTransport({ api: '/api/chat' }), { telemetry: '/api/vitrine' });

export default function Chat() {
  const [input, setInput] = useState('');
  const { messages, sendMessage } = useChat({ transport });
  return (
    <div>
      {messages.map((message) => (
        <div key={message.id}>
          {message.role === 'user' ? 'User: ' : 'AI: '}
          {message.parts.map((part, i) => {
            switch (part.type) {
              case 'text':
                return <div key={`${message.id}-${i}`}>{part.text}</div>;
              case 'tool-get_weather':
                return <pre key={`${message.id}-${i}`}>{JSON.stringify(part, null, 2)}</pre>;
            }
          })}
        </div>
      ))}

      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text: input });
          setInput('');
        }}
      >
        <input
          aria-label="Message"
          value={input}
          placeholder="Say something..."
          onChange={(event) => setInput(event.currentTarget.value)}
        />
      </form>
      <AgentDevtools />
    </div>
  );
}
