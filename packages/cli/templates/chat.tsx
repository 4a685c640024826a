'use client';

import { browserSessions, defineAgent } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';

const assistant = defineAgent({ name: 'assistant', systemPrompt: 'Answer briefly.' });
const sessions = browserSessions();

export default function VitrineChat() {
  return <Chat agent={assistant} sessions={sessions} />;
}
