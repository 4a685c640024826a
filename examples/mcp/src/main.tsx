import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mcpTools } from '@vitrine/mcp';
import { AgentDevtools } from '@vitrine/devtools';
import { defineAgent } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';
import { createRoot } from 'react-dom/client';

const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)));

const agent = defineAgent({
  name: 'assistant',
  // The change: the tools of the server are tools of the agent.
  plugins: [mcpTools(client)],
});

createRoot(document.getElementById('root')!).render(
  <>
    <Chat agent={agent} />
    <AgentDevtools />
  </>,
);
