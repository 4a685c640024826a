import { defineAgent, defineTool, proxyInference } from '@vitrine/core';
import { tracedFetch } from '@vitrine/otel';
import { AgentDevtools } from '@vitrine/devtools';
import { Chat } from '@vitrine/react/components';
import '@vitrine/react/theme.css';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import './tracing';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Get the weather in a city',
  input: z.object({ city: z.string(), days: z.number() }),
  execute: ({ city }) => ({ city, temperature: 21 }),
});

const agent = defineAgent({
  name: 'assistant',
  tools: [getWeather],
  // The trace goes along to the server.
  inference: proxyInference({ url: '/api', fetch: tracedFetch }),
});

createRoot(document.getElementById('root')!).render(
  <>
    <Chat agent={agent} />
    <AgentDevtools />
  </>,
);
