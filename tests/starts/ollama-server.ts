import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { frame, writtenStreams } from '../upstream/provider-streams.ts';

/** A server that speaks the API of Ollama, which is that of OpenAI, with one model. */
export type OllamaServer = { readonly url: string; readonly close: () => Promise<void> };

type Message = { readonly role: string; readonly content: unknown };

/**
 * Starts the server. It answers with recorded streams: with a call when it is offered `get_weather` and has no result of
 * it yet, with an answer that is cut at its length to a message with "long", and with a text to all others.
 */
export async function serveOllama(port = 0): Promise<OllamaServer> {
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/models')
      return response.end(JSON.stringify({ object: 'list', data: [{ id: 'llama3.2', object: 'model' }] }));
    let body = '';
    for await (const data of request.setEncoding('utf8')) body += String(data);
    const { messages, tools } = JSON.parse(body) as {
      readonly messages: readonly Message[];
      readonly tools?: unknown;
    };
    response.setHeader('content-type', 'text/event-stream');
    return response.end(answerTo(messages, JSON.stringify(tools ?? [])));
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

function answerTo(messages: readonly Message[], tools: string): string {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  if (asked.includes('long')) return stream('compatible-length');
  const isOffered = tools.includes('"name":"get_weather"') && !messages.some(({ role }) => role === 'tool');
  return stream(isOffered ? 'compatible-tool-call' : 'compatible-text');
}

function stream(name: string): string {
  return frame(writtenStreams().find((written) => written.name === name)!);
}
