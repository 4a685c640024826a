import { browserSessions, useAgent } from '@vitrine/react';
import { agent } from './chat.ts';
import { startPage } from './start-page.tsx';

const sessions = browserSessions();

startPage(() => useAgent(agent, { sessionId: 'a', sessions }));
