import { defineAgent, defineTool } from '@vitrine/react';
import { offlineModel } from '@vitrine/proxy/offline';
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
  // A demo model that runs in the page. `fromLanguageModel` of `@vitrine/ai-sdk` takes any model of the AI SDK.
  inference: offlineModel().client,
});
