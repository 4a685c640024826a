// First, before there is any schema.
import './shell/without-eval.ts';
import { QueryClient } from '@tanstack/react-query';
import { AgentDevtools } from '@vitrine/devtools';
import { AgentProvider, indexedDBSessions, localStorageSessions } from '@vitrine/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
import '@vitrine/react/theme.css';
import './styles/index.css';

// `?store=indexeddb` is how files of any size are tried: localStorage has room for small ones.
const isLarge = new URLSearchParams(window.location.search).get('store') === 'indexeddb';
const sessions = isLarge
  ? indexedDBSessions({ name: 'vitrine-demo' })
  : localStorageSessions({ prefix: 'vitrine-demo' });
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
