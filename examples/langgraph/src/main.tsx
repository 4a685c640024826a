import { AIMessage } from '@langchain/core/messages';
import { HttpAgentServerAdapter, useStream } from '@langchain/react';
import { AgentDevtools } from '@vitrine/devtools';
import { observeLangGraph } from '@vitrine/langgraph/observe';
import type { HITLRequest } from 'langchain';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { agent } from './agent';

const apiUrl = import.meta.env.VITE_LANGGRAPH_URL ?? 'http://localhost:2024';

// The change: the panel watches the transport.
const transport = observeLangGraph(new HttpAgentServerAdapter({ apiUrl }));

function Chat() {
  const [input, setInput] = useState('');
  const { messages, interrupt, error, isLoading, submit, respond, stop } = useStream<
    typeof agent,
    HITLRequest
  >({
    transport,
    // Their types leave no place for it beside a transport.
    assistantId: 'agent' as never,
  });

  function decide(type: 'approve' | 'reject') {
    void respond({ decisions: interrupt?.value?.actionRequests.map(() => ({ type })) });
  }

  return (
    <main>
      <h1>LangGraph</h1>
      {messages.map((message) => (
        <div key={message.id}>
          {message.type}: {message.text}
          {AIMessage.isInstance(message) &&
            message.tool_calls?.map(({ id, name, args }) => (
              <pre key={id}>
                {name} {JSON.stringify(args)}
              </pre>
            ))}
        </div>
      ))}

      {/* Their client loses a run that is answered before its end. */}
      {interrupt && !isLoading && (
        <p>
          {interrupt.value?.actionRequests.map(({ description }) => description).join(' ')}{' '}
          <button onClick={() => decide('approve')}>Approve</button>{' '}
          <button onClick={() => decide('reject')}>Reject</button>
        </p>
      )}
      <p role="alert">{error instanceof Error && error.message}</p>

      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit({ messages: [{ type: 'human', content: input }] });
          setInput('');
        }}
      >
        <input
          aria-label="Message"
          value={input}
          placeholder="Type a message..."
          onChange={(event) => setInput(event.target.value)}
        />
        {isLoading && (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        )}
      </form>
      <AgentDevtools />
    </main>
  );
}

createRoot(document.getElementById('root')!).render(<Chat />);
