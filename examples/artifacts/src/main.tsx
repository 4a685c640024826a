import { AgentDevtools } from '@vitrine/devtools';
import { defineAgent } from '@vitrine/react';
import '@vitrine/react/theme.css';
import { createRoot } from 'react-dom/client';
import { ArtifactChat } from './artifact-chat.tsx';
import { artifacts } from './artifacts.ts';
import './main.css';

const agent = defineAgent({
  name: 'assistant',
  systemPrompt: 'You are a helpful assistant. Write long texts, code and pages with write_artifact.',
  plugins: [artifacts],
});

createRoot(document.getElementById('root')!).render(
  <>
    <ArtifactChat agent={agent} />
    <AgentDevtools />
  </>,
);
