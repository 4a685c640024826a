import {
  CopilotChat,
  CopilotKitProvider,
  HttpAgent,
  useDefaultRenderTool,
  useInterrupt,
} from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
import { toAgUi } from '@vitrine/ag-ui';
import { AgentDevtools } from '@vitrine/devtools';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { session } from './session';

/** An agent that a chat joins when it is shown: it gets the messages, and the run that goes on. */
class SessionAgent extends HttpAgent {
  protected override connect(input: Parameters<HttpAgent['run']>[0]): ReturnType<HttpAgent['run']> {
    return this.run(input);
  }
}

// The change: the agent is the session, and nothing leaves the page.
const agent = new SessionAgent({ url: '/agent', fetch: toAgUi(session) });

const button = { margin: 4, padding: '2px 8px', border: '1px solid', borderRadius: 4 };

function Chat() {
  useDefaultRenderTool();
  useInterrupt({
    render: ({ interrupt, resolve }) => (
      <p>
        {interrupt?.message}
        <button style={button} onClick={() => void resolve({ approved: true })}>
          Approve
        </button>
        <button style={button} onClick={() => void resolve({ approved: false })}>
          Reject
        </button>
      </p>
    ),
  });
  return <CopilotChat threadId="chat" />;
}

function App() {
  const [error, setError] = useState('');
  return (
    <CopilotKitProvider
      agents__unsafe_dev_only={{ default: agent }}
      enableInspector={false}
      onError={({ error }) => setError(error.message)}
    >
      <Chat />
      <p role="alert">{error}</p>
      <AgentDevtools />
    </CopilotKitProvider>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
