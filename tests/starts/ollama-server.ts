import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writtenStreams } from '../upstream/provider-streams.ts';

/** A server that speaks the API of Ollama, which is that of OpenAI, with one model. */
export type OllamaServer = { readonly url: string; readonly close: () => Promise<void> };

/** Starts the server. It answers every question with a recorded stream. */
export async function serveOllama(port = 0): Promise<OllamaServer> {
  const chunks = writtenStreams().find(({ name }) => name === 'compatible-text')?.chunks ?? [];
  const answer = [...chunks, '[DONE]'].map((chunk) => `data: ${chunk}\n\n`).join('');
  const server = createServer((request, response) => {
    if (request.url === '/v1/models')
      return response.end(JSON.stringify({ object: 'list', data: [{ id: 'llama3.2', object: 'model' }] }));
    response.setHeader('content-type', 'text/event-stream');
    return response.end(answer);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
