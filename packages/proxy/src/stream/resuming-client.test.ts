import { type InferenceClient, type InferenceEvent, proxyInference } from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCutter } from '../../../../tests/servers/start-cutter.ts';
import { frame, recordedStreams, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import { providers } from '../providers/providers.ts';
import { serveInferenceProxy } from '../node/serve-inference-proxy.ts';
import { eventsOf, proveRuns, proxyOf, textOf } from './served.fixture.ts';
import { joinedDeltas } from '../../../../tests/upstream/joined-deltas.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';

const answers = [...writtenStreams(), ...recordedStreams().flatMap(({ stream }) => stream ?? [])];
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

function clientFor(wire: string): InferenceClient {
  const { apiKey = '', baseURL = '' } = providers.find(({ id }) => id === wire)?.variables ?? {};
  const env = { [apiKey]: 'k', [baseURL]: upstream.url, VITRINE_MODELS: `${wire}:m` };
  const [model] = modelsFromEnv(env);
  if (model === undefined) throw new Error(`There is no model for ${wire}.`);
  return model.client;
}

/** The answer as it is on the wire. */
function post(url: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/v1/inference`, { method: 'POST', headers, body: JSON.stringify(request) });
}

async function read(url: string): Promise<InferenceEvent[]> {
  const events: InferenceEvent[] = [];
  const client = proxyInference({ url });
  for await (const event of client.stream(request, { signal: AbortSignal.timeout(20_000) }))
    events.push(event);
  return events;
}

/** Removes ids that provider packages generate per answer, and the times of deltas. */
const plain = (events: readonly InferenceEvent[]): string =>
  JSON.stringify(joinedDeltas(events)).replaceAll(/"(toolCallId|id)":"[^"]*"/g, '"$1":""');

describe.each(answers.map((answer) => [answer.name, answer] as const))(
  'the answer %s',
  { timeout: 600_000 },
  (_name, answer) => {
    it('the answer arrives complete through a connection that is cut at any place', async () => {
      upstream.behave = { kind: 'answer', body: frame(answer), size: null };
      const server = await serveInferenceProxy(proxyOf(clientFor(answer.wire)), { port: 0 });
      const whole = eventsOf(await textOf(await post(server.url)));
      // `npm test` cuts a few places of each answer, the long proof every event.
      const step = Math.ceil(whole.length / proveRuns(3));
      const places = whole.flatMap((_event, index) => (index % step === 0 ? [index] : []));
      for (let from = 0; from < places.length; from += 16) {
        const some = places.slice(from, from + 16);
        await Promise.all(
          some.map(async (events) => {
            const cutter = await startCutter(server.url, { events, bytes: (events * 7) % 23 });
            const resumed = await read(cutter.url);
            await cutter.stop();
            expect(plain(resumed), `cut behind ${events} events`).toBe(plain(whole));
            expect(cutter.connections()).toBeGreaterThan(1);
          }),
        );
      }
      await server.close({ graceMs: 0 });
    });
  },
);
