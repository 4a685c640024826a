import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgentSession, defineAgent, defineTool, proxyInference } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { createAgentServer } from '@vitrine/server';
import { dbosHost } from '@vitrine/server/dbos';
import { sqliteHost } from '@vitrine/server/sqlite';
import * as z from 'zod';

/**
 * Runs agents in a process of its own: `node run-process.ts <memory|sqlite|dbos> <place> <upstream>`.
 * `talker` and `clock` stream an answer over HTTP, `stepper` takes steps with a tool; the message says how many. In memory
 * a POST of the agent's name and the count runs it; else it is a server of agents. It tells its use of the processor.
 */
const [, , kind = '', place = '', upstream = ''] = process.argv;

const look = defineTool({
  name: 'look',
  description: 'Looks something up',
  input: z.object({}),
  effects: 'idempotent',
  execute: async () => 'found',
});
const stepper = defineAgent({
  name: 'stepper',
  inference: scriptedInference([
    ({ messages }) => {
      const from = messages.findLastIndex(({ role }) => role === 'user');
      const steps = Number(/\d+/.exec(JSON.stringify(messages[from]?.parts))?.[0] ?? 0);
      const taken = messages.slice(from).filter(({ role }) => role === 'assistant').length;
      return taken < steps ? { text: 'Next.', toolCalls: [{ name: 'look', input: {} }] } : { text: 'Done.' };
    },
  ]),
  tools: [look],
  // The usual limit would stop it on the way.
  budget: { maxSteps: 1000 },
});
/** One agent for each length of an answer, since the address says it. */
const talker = (deltas: number) =>
  defineAgent({
    name: `talker-${deltas}`,
    inference: proxyInference({ url: `${upstream}/v/${deltas}-0-1-1` }),
  });
const agents = {
  stepper,
  clock: defineAgent({ name: 'clock', inference: proxyInference({ url: `${upstream}/v/clock` }) }),
  'talker-5': talker(5),
  'talker-3000': talker(3000),
};

async function serve(): Promise<string> {
  if (kind === 'memory') return serveMemory();
  const host = kind === 'dbos' ? dbosHost({ url: place, version: '1' }) : sqliteHost({ path: place });
  const server = createAgentServer({
    agents,
    host,
    // Pages come from where the model is.
    allowedOrigins: [upstream],
    log: () => undefined,
    authorize: () => ({ id: 'anna' }),
  });
  const { url } = await serveInferenceProxy(server, { port: 0 });
  await server.ready;
  return url;
}

/** Runs what a POST asks for without a store and without a follower elsewhere, and publishes as a server does. */
async function serveMemory(): Promise<string> {
  const server = createServer((request, response) => {
    const [, name = '', count = ''] = (request.url ?? '').split('/');
    const session = createAgentSession({ agent: agents[name as keyof typeof agents], publish: 'immediate' });
    session.store.subscribe(() => undefined);
    void session.sendMessage(count).then(({ outcome }) => {
      void session.dispose();
      response.statusCode = outcome === 'completed' ? 200 : 500;
      response.end(outcome);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// The first words on standard output are the address; DBOS would print its migrations there.
console.log = console.error;
process.stdout.write(`${await serve()}\n`);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
