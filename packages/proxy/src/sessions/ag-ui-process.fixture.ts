import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { toAgUi } from '@vitrine/ag-ui';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

// A process to be killed: `node ag-ui-process.fixture.ts <path>` serves a session in SQLite to clients of AG-UI, and
// prints its port. Its agent looks something up and then writes 300 words, also when it begins again.
const [, , path = ''] = process.argv;
const look = defineTool({
  name: 'look',
  description: '',
  input: z.object({}),
  effects: 'idempotent',
  execute: () => 'found',
});
const words = { text: 'word '.repeat(300), chunks: 300, delayMs: 5 };
const agent = defineAgent({
  name: 'writer',
  tools: [look],
  inference: scriptedInference([
    ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? words
        : { reasoning: 'First a look', text: 'I look', toolCalls: [{ name: 'look', input: {} }] },
    () => words,
  ]),
});
const session = createAgentSession({ agent, sessions: sqliteSessions({ path }), sessionId: 's1' });
const server = createServer((request, response) => void listener(request, response));
const handle = toAgUi(session);
const listener = getRequestListener((request) => handle(request));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
