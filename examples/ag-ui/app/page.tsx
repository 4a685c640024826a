'use client';

import { HttpAgent, type Interrupt, type Message, type RunAgentParameters } from '@ag-ui/client';
import { AgentDevtools } from '@vitrine/devtools';
import { observeAgUi } from '@vitrine/ag-ui/observe';
import { useEffect, useState } from 'react';

// The change: the panel watches the agent.
const agent = observeAgUi(new HttpAgent({ url: '/api/agent' }));

export default function Chat() {
  const [input, setInput] = useState('');
  const [messages, setMessages] = useState<Message[]>([]);
  const [interrupts, setInterrupts] = useState<Interrupt[]>([]);
  const [error, setError] = useState('');
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    const { unsubscribe } = agent.subscribe({
      onMessagesChanged: ({ messages }) => setMessages([...messages]),
      onRunErrorEvent: ({ event }) => setError(event.message),
    });
    return unsubscribe;
  }, []);

  async function run(parameters?: RunAgentParameters) {
    setError('');
    setInterrupts([]);
    setRunning(true);
    await agent.runAgent(parameters).catch((error) => setError(error.message));
    setRunning(false);
    setInterrupts(agent.pendingInterrupts);
  }

  function answer(approved: boolean) {
    const given = { status: 'resolved', payload: { approved } } as const;
    void run({ resume: interrupts.map(({ id }) => ({ interruptId: id, ...given })) });
  }

  return (
    <main>
      <h1>AG-UI</h1>
      {messages.map((message) => (
        <div key={message.id}>
          {message.role}: {String(message.content ?? '')}
          {message.role === 'assistant' &&
            message.toolCalls?.map((call) => (
              <pre key={call.id}>
                {call.function.name} {call.function.arguments}
              </pre>
            ))}
        </div>
      ))}

      {interrupts.length > 0 && (
        <p>
          {interrupts.map(({ message }) => message).join(' ')}{' '}
          <button onClick={() => answer(true)}>Approve</button>{' '}
          <button onClick={() => answer(false)}>Reject</button>
        </p>
      )}
      <p role="alert">{error}</p>

      <form
        onSubmit={(event) => {
          event.preventDefault();
          agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: input });
          void run();
          setInput('');
        }}
      >
        <input
          aria-label="Message"
          value={input}
          placeholder="Type a message..."
          onChange={(event) => setInput(event.target.value)}
        />
        {isRunning && (
          <button type="button" onClick={() => agent.abortRun()}>
            Stop
          </button>
        )}
      </form>
      <AgentDevtools />
    </main>
  );
}
