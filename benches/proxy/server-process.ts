import { createInferenceProxy, modelsFromEnv } from '@vitrine/proxy';
import { serveInferenceProxy } from '@vitrine/proxy/node';

// What stands between readers and a provider, as a process of its own: `node server-process.ts <kind> <upstream>` prints
// its address, and tells what it has used when it is sent a message.

const [kind, upstream = ''] = process.argv.slice(2);

/** What one would write who needs no proxy: the same server, and the bytes handed on. */
const passThrough = {
  withHosts: () => ({
    async fetch(request: Request): Promise<Response> {
      const body = await request.text();
      const answer = await fetch(upstream, { method: 'POST', body, signal: request.signal });
      return new Response(answer.body, { headers: { 'content-type': 'text/event-stream' } });
    },
  }),
};

const env = {
  OPENAI_COMPATIBLE_BASE_URL: upstream,
  OPENAI_COMPATIBLE_API_KEY: 'k',
  VITRINE_MODELS: 'openai-compatible:m',
};
const proxy =
  kind === 'proxy'
    ? createInferenceProxy({
        models: modelsFromEnv(env),
        log: () => undefined,
        limits: { resumeGraceMs: 0, finishedMs: 10_000 },
      })
    : passThrough;

let peak = 0;
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50).unref();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const rss = Math.max(peak, process.memoryUsage.rss());
  peak = 0;
  globalThis.gc?.();
  process.send?.({ cpuMs: (user + system) / 1000, rss, heap: process.memoryUsage().heapUsed });
});
const { url } = await serveInferenceProxy(proxy, { port: 0 });
process.stdout.write(`${url}\n`);
