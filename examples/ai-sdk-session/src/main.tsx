import { useChat } from '@ai-sdk/react';
import { AgentDevtools } from '@vitrine/devtools';
import { vitrineTransport } from '@vitrine/ai-sdk';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { session } from './session';

// The change: the session runs the chat, in the place of a route.
const transport = vitrineTransport(session);

function Chat() {
  const [input, setInput] = useState('');
  const { messages, sendMessage } = useChat({ id: 'main', transport });
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

createRoot(document.getElementById('root')!).render(<Chat />);
