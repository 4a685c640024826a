import { appendFileSync } from 'node:fs';
import { defineAgent, defineTool, type InferenceClient, Usage } from '@vitrine/core';
import * as z from 'zod';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { createAgentServer } from './create-agent-server.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

// A server of agents in a process of its own: `node agent-server-process.fixture.ts <path> <deeds> <port>`. It prints its
// address. The model asks for the tools in the message of the user, one a step, such as `pay:a look:b refund:c`.
const [, , path = '', deeds = '', port = '0'] = process.argv;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const deed = (text: string): void => appendFileSync(deeds, `${text}\n`);

const model: InferenceClient = {
  async *stream({ messages }) {
    const from = messages.findLastIndex(({ role }) => role === 'user');
    const said = messages[from]?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
    const wanted = said.split(' ').filter((word) => word.includes(':'));
    const done = messages.slice(from).filter(({ role }) => role === 'assistant').length;
    yield { type: 'start', id: `r${messages.length}`, model: 'scripted' };
    const next = wanted[done];
    if (next === undefined) {
      for (const word of ['All', ' of', ' it', ' is', ' done']) {
        await pause(20);
        yield { type: 'text-delta', delta: word };
      }
      yield { type: 'finish', finishReason: 'stop', usage: { ...Usage.none(), isExact: true } };
      return;
    }
    const [toolName = '', line = ''] = next.split(':');
    yield { type: 'text-delta', delta: `Next: ${next}.` };
    yield { type: 'tool-call', toolCallId: `call_${next}`, toolName, input: { line } };
    yield { type: 'finish', finishReason: 'tool-calls', usage: { ...Usage.none(), isExact: true } };
  },
};

const input = z.object({ line: z.string() });
const pay = defineTool({
  input,
  name: 'pay',
  description: 'Pays once',
  effects: 'once',
  async execute({ line }) {
    await pause(40);
    deed(`pay ${line}`);
    await pause(40);
    return `paid ${line}`;
  },
});
const look = defineTool({
  input,
  name: 'look',
  description: 'Looks something up',
  effects: 'idempotent',
  async execute({ line }) {
    deed(`look ${line}`);
    await pause(60);
    return `found ${line}`;
  },
});
const refund = defineTool({
  input,
  name: 'refund',
  description: 'Pays back once a person has approved it',
  effects: 'once',
  needsApproval: true,
  async execute({ line }) {
    deed(`refund ${line}`);
    await pause(20);
    return `refunded ${line}`;
  },
});

const clerk = defineAgent({ name: 'clerk', inference: model, tools: [pay, look, refund] });
const server = createAgentServer({
  agents: { clerk },
  host: sqliteHost({ path }),
  log: () => undefined,
  lingerMs: 300,
  // For tests a token is the name of the person.
  authorize(request) {
    const id = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    return id === undefined ? null : { id };
  },
});
const { url } = await serveInferenceProxy(server, { port: Number(port) });
await server.ready;
process.stdout.write(`${url}\n`);
process.on('SIGTERM', () => void server.stop({ graceMs: 5000 }).then(() => process.exit(0)));

export type TestServer = typeof server;
