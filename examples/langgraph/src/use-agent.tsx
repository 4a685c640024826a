import { langGraphAgent } from '@vitrine/langgraph';
import { AgentDevtools } from '@vitrine/devtools';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';
import { createRoot } from 'react-dom/client';

// The change: the graph answers in the place of a model.
const agent = langGraphAgent({ url: import.meta.env.VITE_LANGGRAPH_URL ?? 'http://localhost:2024' });

createRoot(document.getElementById('root')!).render(
  <>
    <Chat agent={agent} />
    <AgentDevtools />
  </>,
);
