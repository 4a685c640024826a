import type { InferenceClient } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { overPostgres, overRedis, serveShared } from './deployments.ts';
import { wordsOf } from './words.ts';

// One process of a deployment, to be killed: `node proxy-process.ts <name> <url of Redis or PostgreSQL>` prints its
// address. Its words say which process has made them.
const [, , name = '', storage = ''] = process.argv;
const saying = (delayMs: number): InferenceClient => scriptedInference([{ chunks: wordsOf(name), delayMs }]);
const { url } = await serveShared(
  await (storage.startsWith('redis') ? overRedis : overPostgres)(storage),
  {
    models: [
      { id: 'p:quick', name: 'quick', provider: 'p', client: saying(3) },
      { id: 'p:slow', name: 'slow', provider: 'p', client: saying(200) },
    ],
    authorize(request) {
      const id = request.headers.get('x-user');
      return id === null ? null : { id };
    },
    // Quicker than by default, and still long for a machine with more to do than it can: who is late counts as dead.
    limits: { leaseMs: 3000 },
    log: () => undefined,
  },
  { port: 0 },
);
process.stdout.write(`${url}\n`);
