'use client';

import { AgentDevtools } from '@vitrine/devtools';
import { browserSessions } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';
import { assistant } from './assistant';

const sessions = browserSessions();

export default function Page() {
  return (
    <>
      <Chat agent={assistant} sessions={sessions} />
      <AgentDevtools />
    </>
  );
}
