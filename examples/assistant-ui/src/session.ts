import { createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { z } from 'zod';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Get the weather in a city',
  input: z.object({ city: z.string(), days: z.number() }),
  execute: ({ city }) => ({ city, temperature: 21 }),
});

export const session = createAgentSession({
  agent: defineAgent({ name: 'assistant', tools: [getWeather] }),
});
