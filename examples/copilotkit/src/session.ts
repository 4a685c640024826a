import { createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { indexedDBSessions } from '@vitrine/persist';
import { z } from 'zod';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Get the weather in a city',
  input: z.object({ city: z.string(), days: z.number() }),
  execute: ({ city }) => ({ city, temperature: 21 }),
});

const sendEmail = defineTool({
  name: 'send_email',
  description: 'Send an email',
  input: z.object({ to: z.string(), text: z.string() }),
  needsApproval: ({ to }) => ({ ask: `Send this email to ${to}?` }),
  execute: ({ to }) => `sent to ${to}`,
});

export const session = createAgentSession({
  agent: defineAgent({ name: 'assistant', tools: [getWeather, sendEmail] }),
  sessions: indexedDBSessions(),
  sessionId: 'chat',
});
