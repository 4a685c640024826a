import { defineAgent, defineTool } from '@vitrine/react';
import * as z from 'zod';

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time in a time zone',
  input: z.object({ zone: z.string().describe('e.g. Europe/Zurich') }),
  execute: ({ zone }) => new Date().toLocaleTimeString('en', { timeZone: zone }),
});

export const assistant = defineAgent({
  name: 'assistant',
  systemPrompt: 'Answer briefly. Use the clock when somebody asks for the time.',
  tools: [clock],
  budget: { maxSteps: 8 },
});
