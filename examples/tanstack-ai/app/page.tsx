'use client';

import { fetchServerSentEvents, useChat } from '@tanstack/ai-react';
import { AgentDevtools } from '@vitrine/devtools';
import { observeConnection } from '@vitrine/tanstack-ai';
import { useState } from 'react';

// The change: the panel watches the connection.
const connection = observeConnection(fetchServerSentEvents('/api/chat'));

export default function Chat() {
  const [input, setInput] = useState('');
  const { messages, sendMessage, isLoading } = useChat({ connection });
  return (
    <div>
      {messages.map((message) => (
        <div key={message.id}>
          {message.role === 'assistant' ? 'Assistant: ' : 'You: '}
          {message.parts.map((part, i) => {
            if (part.type === 'text') return <div key={i}>{part.content}</div>;
            if (part.type === 'tool-call') return <pre key={i}>{part.name}</pre>;
            return null;
          })}
        </div>
      ))}

      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isLoading) return;
          void sendMessage(input);
          setInput('');
        }}
      >
        <input
          aria-label="Message"
          value={input}
          placeholder="Type a message..."
          onChange={(event) => setInput(event.target.value)}
        />
      </form>
      <AgentDevtools />
    </div>
  );
}
