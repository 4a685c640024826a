// First, before there is any schema.
import './shell/without-eval.ts';
import { QueryClient } from '@tanstack/react-query';
import { AgentDevtools } from '@vitrine/devtools';
import { AgentProvider, localStorageSessions } from '@vitrine/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
import './styles/index.css';

const sessions = localStorageSessions({ prefix: 'vitrine-demo' });
const queryClient = new QueryClient();
const isWide = window.matchMedia('(min-width: 1100px)').matches;

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <AgentProvider sessions={sessions} queryClient={queryClient}>
        <App />
      </AgentProvider>
      <AgentDevtools initialIsOpen={isWide} position="right" buttonPosition="top-right" />
    </StrictMode>,
  );
}
