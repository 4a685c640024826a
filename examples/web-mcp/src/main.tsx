import { webMcpTools } from '@vitrine/web-mcp';
import { AgentDevtools } from '@vitrine/devtools';
import { defineAgent, defineTool } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';
import { useWebMcp } from '@vitrine/web-mcp/react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';

const renamePage = defineTool({
  name: 'rename_page',
  description: 'Give the page another title',
  input: z.object({ title: z.string() }),
  execute: ({ title }) => {
    document.title = title;
    return `The page is called ${title}`;
  },
});

const agent = defineAgent({
  name: 'assistant',
  tools: [renamePage],
  // The change, in: the tools of the page are tools of the agent.
  plugins: [webMcpTools()],
});

function App() {
  // The change, out: the tools of the agent are tools of the page.
  useWebMcp(agent);
  return (
    <>
      <Chat agent={agent} />
      <AgentDevtools />
    </>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
