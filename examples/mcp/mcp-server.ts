import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export function weatherServer(): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  server.registerTool(
    'get_weather',
    {
      description: 'Get the weather in a city',
      inputSchema: z.object({ city: z.string(), days: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ city }) => ({ content: [{ type: 'text', text: `21 degrees in ${city}` }] }),
  );
  return server;
}
