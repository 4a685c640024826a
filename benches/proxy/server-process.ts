import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createInferenceProxy, modelsFromEnv } from '@vitrine/proxy';
import { type Servable, serveInferenceProxy } from '@vitrine/proxy/node';
import { streamText } from 'ai';

// A server between readers and a provider in its own process: `node server-process.ts <kind> <upstream>` prints its
// address, and reports its usage when it receives a message.

const [kind = '', upstream = ''] = process.argv.slice(2);

/** A server without a proxy that forwards the bytes. */
const passThrough = {
  withHosts: () => ({
    async fetch(request: Request): Promise<Response> {
      const body = await request.text();
      const answer = await fetch(upstream, { method: 'POST', body, signal: request.signal });
      return new Response(answer.body, { headers: { 'content-type': 'text/event-stream' } });
    },
  }),
};

/** The provider package alone, without anything around it. */
const model = createOpenAICompatible({ name: 'm', baseURL: upstream }).chatModel('m');
const providerAlone = {
  withHosts: () => ({
    async fetch({ signal: abortSignal }: Request): Promise<Response> {
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
      const { stream } = await model.doStream({ prompt, abortSignal });
      const [reader, encoder] = [stream.getReader(), new TextEncoder()];
      const body = new ReadableStream<Uint8Array>({
        async pull(out) {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) return out.close();
            if (value.type === 'text-delta')
              return out.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
          }
        },
        cancel: (reason) => reader.cancel(reason),
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  }),
};

/** A server with the AI SDK: its stream of messages for its chat hook. */
const aiSdk = {
  withHosts: () => ({
    fetch: async ({ signal: abortSignal }: Request): Promise<Response> =>
      streamText({ model, prompt: 'Hi', abortSignal }).toUIMessageStreamResponse(),
  }),
};

const env = {
  OPENAI_COMPATIBLE_BASE_URL: upstream,
  OPENAI_COMPATIBLE_API_KEY: 'k',
  VITRINE_MODELS: 'openai-compatible:m',
};
const servers: Readonly<Record<string, () => Servable>> = {
  'pass-through': () => passThrough,
  provider: () => providerAlone,
  'ai-sdk': () => aiSdk,
  proxy: () =>
    createInferenceProxy({
      models: modelsFromEnv(env),
      log: () => undefined,
      limits: { resumeGraceMs: 0, finishedMs: 10_000 },
    }),
};

const servable = servers[kind];
if (servable === undefined) throw new Error(`${kind} is no kind of server.`);

let peak = 0;
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50).unref();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const rss = Math.max(peak, process.memoryUsage.rss());
  peak = 0;
  globalThis.gc?.();
  process.send?.({ cpuMs: (user + system) / 1000, rss, heap: process.memoryUsage().heapUsed });
});
const { url } = await serveInferenceProxy(servable(), { port: 0 });
process.stdout.write(`${url}\n`);
