import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** An event of AG-UI as a server sends it. */
export type Given = { readonly type: string; readonly [field: string]: unknown };

/** `hold` waits until the page leaves. */
export type Served = Given | 'hold';

export const text = (messageId: string, words: string, more: object = {}): readonly Given[] => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...more },
  ...words
    .split(' ')
    .map((word) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: `${word} `, ...more })),
  { type: 'TEXT_MESSAGE_END', messageId, ...more },
];

export const asked = (toolCallId: string, toolCallName: string, more: object = {}): readonly Given[] => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName, ...more },
  { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"q":', ...more },
  { type: 'TOOL_CALL_ARGS', toolCallId, delta: '"tea"}', ...more },
  { type: 'TOOL_CALL_END', toolCallId, ...more },
];

export const result = (toolCallId: string, more: object = {}): Given => ({
  type: 'TOOL_CALL_RESULT',
  messageId: `result of ${toolCallId}`,
  toolCallId,
  content: '["green"]',
  ...more,
});

export const success: Given = { type: 'RUN_FINISHED', outcome: { type: 'success' } };

/** Events of a subagent `s`, under the call `c`. */
const own = { subagentRunId: 's' };
export const delegated: readonly Given[] = [
  ...asked('c', 'delegate'),
  { type: 'SUBAGENT_STARTED', ...own, name: 'writer', parentToolCallId: 'c' },
  ...asked('d', 'search', own),
  result('d', own),
  ...text('w', 'A poem', own),
  { type: 'SUBAGENT_FINISHED', ...own },
  result('c'),
  ...text('m', 'Here it is'),
  success,
];

async function bodyOf(request: IncomingMessage): Promise<{ readonly [field: string]: unknown }> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body) as { readonly [field: string]: unknown };
}

async function send(events: readonly Served[], ids: object, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [{ type: 'RUN_STARTED' }, ...events]) {
    if (event === 'hold') return void (await once(response, 'close'));
    const sent = event.type === 'RUN_STARTED' || event.type === 'RUN_FINISHED' ? { ...ids, ...event } : event;
    response.write(`data: ${JSON.stringify(sent)}\n\n`);
    // Each event comes in a packet of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

/** The address of a server that answers each request with the next of the given runs, as an AG-UI backend does. */
export async function serveRuns(runs: readonly (readonly Served[])[]): Promise<string> {
  let next = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then(({ threadId, runId }) =>
      send(runs[next++] ?? [], { threadId, runId }, response),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.add(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
}

const servers = new Set<ReturnType<typeof createServer>>();

/** Closes the servers of a file behind its tests. */
export function closeServers(): void {
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
}
