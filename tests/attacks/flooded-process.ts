import type { InferenceClient } from '@vitrine/core';
import { createInferenceProxy } from '@vitrine/proxy';
import { serveInferenceProxy } from '@vitrine/proxy/node';

// A proxy with small bounds as a process of its own. It prints its address, and on every line of its input the most
// memory that it has taken, in kilobytes.

const mebibyte = 1024 * 1024;
const word = 'x'.repeat(32 * 1024);

/** Says 3 MiB as fast as it is read, and then thinks for as long as anybody waits. */
const client: InferenceClient = {
  async *stream(_request, { signal }) {
    for (let at = 0; at < 96; at++) yield { type: 'text-delta', delta: word };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  },
};

const proxy = createInferenceProxy({
  models: [{ id: 'p:m', name: 'm', provider: 'p', client }],
  authorize: (request) => ({ id: request.headers.get('authorization') ?? 'nobody' }),
  limits: {
    imageBytes: 4 * mebibyte,
    resumeGraceMs: 1000,
    heldBytes: 8 * mebibyte,
    allHeldBytes: 16 * mebibyte,
    runningBytes: 16 * mebibyte,
    finishedBytes: 8 * mebibyte,
  },
  log: () => undefined,
});
const { url } = await serveInferenceProxy(proxy, { port: 0 });
process.stdout.write(`${url}\n`);
process.stdin.on('data', () => process.stdout.write(`${process.resourceUsage().maxRSS}\n`));
