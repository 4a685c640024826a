import { useAgent } from '@vitrine/react';
import { agent } from './chat.ts';
import { startPage } from './start-page.tsx';

startPage(() => useAgent(agent));
