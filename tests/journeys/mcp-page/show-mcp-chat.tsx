import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mcpTools } from '@vitrine/mcp';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing';
import { type AgentDefinition, defineAgent } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import { useMcpApps } from '@vitrine/mcp/react';
import theme from '@vitrine/react/theme.css?inline';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

/** Shows a chat whose agent uses the tools of an MCP server. The model calls the tool that a message names. */
export async function showMcpChat(address: string): Promise<void> {
  document.documentElement.style.colorScheme = 'light dark';
  document.head.append(Object.assign(document.createElement('style'), { textContent: theme }));
  const client = new Client(
    { name: 'page', version: '1.0.0' },
    {
      capabilities: {
        elicitation: { form: {} },
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  const answer: ScriptedEntry = ({ messages }) => {
    const last = messages.at(-1);
    const text = last?.parts.map((part) => ('text' in part ? part.text : '')).join('') ?? '';
    return last?.role === 'user' ? { toolCalls: [{ name: `table_${text}`, input: {} }] } : { text: 'Done.' };
  };
  const agent = defineAgent({
    name: 'tables',
    plugins: [mcpTools(client, { name: 'table' })],
    inference: scriptedInference(Array.from({ length: 20 }, () => answer)),
  });
  const container = document.body.appendChild(document.createElement('div'));
  container.id = 'root';
  createRoot(container).render(
    <StrictMode>
      <McpChat agent={agent} client={client} />
    </StrictMode>,
  );
}

function McpChat({ agent, client }: { readonly agent: AgentDefinition; readonly client: Client }): ReactNode {
  return <Chat agent={agent} tools={useMcpApps(client, { name: 'table' })} />;
}
