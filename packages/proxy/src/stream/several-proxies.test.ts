import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { InferenceClient, InferenceEvent } from '@vitrine/core';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { scriptedInference } from '@vitrine/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { frame, recordedStreams, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { startUpstream, type Upstream } from '../../../../tests/upstream/upstream.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import { providers } from '../providers/providers.ts';
import { type LogStorage, logStorages } from './log-storages.fixture.ts';
import { at, delta, eventsOf, post, proveRuns, proxyOf, puppet, textOf } from './served.fixture.ts';
import type { StreamReport } from './stream-report.ts';

const answers = [...writtenStreams(), ...recordedStreams().flatMap(({ stream }) => stream ?? [])];
const finish = { type: 'finish', finishReason: 'stop' } as unknown as InferenceEvent;

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** The client of a server whose provider uses this format. */
function clientFor(wire: string): InferenceClient {
  const { apiKey = '', baseURL = '' } = providers.find(({ id }) => id === wire)?.variables ?? {};
  const [model] = modelsFromEnv({ [apiKey]: 'k', [baseURL]: upstream.url, VITRINE_MODELS: `${wire}:m` });
  if (model === undefined) throw new Error(`There is no model for ${wire}.`);
  return model.client;
}

describe.each(Object.keys(logStorages))('two proxies on one log in %s', { timeout: 120_000 }, (name) => {
  let storage: LogStorage | null = null;
  let spaces = 0;
  beforeAll(async () => {
    storage = (await logStorages[name]?.()) ?? null;
  }, 200_000);
  afterAll(() => storage?.stop());

  /** A test with two proxies, which is skipped when the storage is not available. */
  const both = (
    title: string,
    run: (two: {
      make: (client: InferenceClient, options?: Parameters<typeof proxyOf>[1]) => ReturnType<typeof proxyOf>;
    }) => Promise<void>,
  ): void =>
    it(title, async ({ skip }) => {
      if (storage === null) return skip(`${name} cannot be had here`);
      const open = storage.open;
      const space = `two${spaces++}`;
      await run({ make: (client, options = {}) => proxyOf(client, { streamLog: open(space), ...options }) });
    });

  both('give the same bytes at every event of every answer that is at hand', async ({ make }) => {
    let client = clientFor('openai');
    const here = make({ stream: (asked, call) => client.stream(asked, call) });
    const there = make(scriptedInference([{}]));
    expect(answers.length).toBeGreaterThan(10);
    for (const answer of answers) {
      upstream.behave = { kind: 'answer', body: frame(answer), size: 97 };
      client = clientFor(answer.wire);
      const response = await here.fetch(post());
      const id = response.headers.get('x-inference-id');
      const all = await textOf(response);
      const offsets = [...all.matchAll(/^id: (.*)$/gm)].map(([, offset = '']) => offset);
      expect(await textOf(await there.fetch(at(id))), answer.name).toBe(all);
      // `npm test` tries some events of each answer, the long proof every one.
      const step = Math.ceil(offsets.length / proveRuns(6));
      for (const [index, offset] of offsets.entries()) {
        if (index % step !== 0 && index !== offsets.length - 1) continue;
        const rest = await there.fetch(at(id, { headers: { 'last-event-id': offset } }));
        const from = all.indexOf(`\nid: ${offsets[index + 1]}\n`) + 1;
        if (index === offsets.length - 1) expect(rest.status).toBe(204);
        else expect(await textOf(rest), `${answer.name} behind ${offset}`).toBe(all.slice(from));
      }
    }
  });

  both('let a reader of one follow live what the other asks', async ({ make }) => {
    const model = puppet();
    const here = make(model);
    const there = make(scriptedInference([{}]));
    const first = await here.fetch(post());
    model.say(delta('a'));
    const second = await there.fetch(at(first.headers.get('x-inference-id')));
    const reading = textOf(second);
    model.say(delta('b'));
    model.say(finish);
    expect(eventsOf(await reading).map(({ type }) => type)).toEqual(['text-delta', 'text-delta', 'finish']);
    expect(await textOf(first)).toBe(await reading);
  });

  both('make one generation of 100 requests with one key at once', async ({ make }) => {
    const model = puppet();
    const [here, there] = [make(model), make(model)];
    const asked = Array.from({ length: 100 }, (_, number) =>
      (number % 2 ? here : there).fetch(post({ 'idempotency-key': 'once' })),
    );
    const responses = await Promise.all(asked);
    expect(new Set(responses.map((response) => response.headers.get('x-inference-id'))).size).toBe(1);
    model.say(delta('a'));
    model.say(finish);
    const texts = await Promise.all(responses.map(textOf));
    expect(new Set(texts).size).toBe(1);
    expect(eventsOf(texts[0] ?? '').map(({ type }) => type)).toEqual(['text-delta', 'finish']);
    expect(model.calls()).toBe(1);
    const late = await there.fetch(post({ 'idempotency-key': 'once' }));
    expect(await textOf(late)).toBe(texts[0]);
    const other = await there.fetch(post({ 'idempotency-key': 'twice' }));
    expect(await textOf(other)).toBe(texts[0]);
    expect(model.calls()).toBe(2);
  });

  both('refuse a key that comes with another body, and know the same body again', async ({ make }) => {
    const model = puppet();
    const [here, there] = [make(model), make(model)];
    const key = { 'idempotency-key': 'k' };
    const first = await here.fetch(post(key));
    const { url, headers } = post(key);
    const body = JSON.stringify({ ...request, model: 'p:m' });
    const other = new Request(url, { method: 'POST', headers, body });
    for (const proxy of [here, there]) {
      const refused = await proxy.fetch(other.clone());
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        422,
        'application/problem+json',
      ]);
      expect(await refused.json()).toMatchObject({ code: 'idempotency-key-reused', retryable: false });
    }
    const again = await there.fetch(post(key));
    model.say(finish);
    expect(await textOf(again)).toBe(await textOf(first));
    expect(model.calls()).toBe(1);
  });

  both('let either end a stream, with one event that says so to all', async ({ make }) => {
    const model = puppet();
    const reports: StreamReport[] = [];
    const here = make(model, { onStreamEnd: (report) => reports.push(report) });
    const there = make(model);
    const response = await here.fetch(post());
    const id = response.headers.get('x-inference-id');
    model.say(delta('a'));
    const follower = await there.fetch(at(id));
    expect((await there.fetch(at(id, { method: 'DELETE' }))).status).toBe(204);
    for (const text of [await textOf(response), await textOf(follower)])
      expect(eventsOf(text).at(-1)).toMatchObject({ code: 'stream-cancelled', retryable: false });
    await vi.waitFor(() => expect([model.open(), reports.length]).toEqual([0, 1]), { timeout: 5000 });
    expect(reports).toMatchObject([{ outcome: 'cancelled', code: 'stream-cancelled', isEstimated: true }]);
    expect((await here.fetch(at(id, { method: 'DELETE' }))).status).toBe(204);
  });

  both('keep the upstream for a reader of the other, and end it when he too has left', async ({ make }) => {
    const model = puppet();
    // Nothing is looked up again within the test, so that the readers alone can end the upstream.
    const limits = { resumeGraceMs: 150, leaseMs: 3_600_000 };
    const [here, there] = [make(model, { limits }), make(model, { limits })];
    const first = await here.fetch(post());
    const id = first.headers.get('x-inference-id');
    model.say(delta('a'));
    const second = (await there.fetch(at(id))).body?.getReader();
    await second?.read();
    await first.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(model.open()).toBe(1);
    await second?.cancel();
    expect(model.open()).toBe(1);
    await vi.waitFor(() => expect(model.open()).toBe(0), { timeout: 3000, interval: 5 });
    expect(eventsOf(await textOf(await there.fetch(at(id)))).at(-1)).toMatchObject({
      code: 'stream-incomplete',
    });
  });
});

it('a stream whose process has died ends for its readers after all its events', async () => {
  const { memory } = logStorages;
  const log = (await memory?.())?.open('dead');
  if (log === undefined) throw new Error('There is no log in memory.');
  await log.create('orphan', { ownerId: 'anyone', leaseMs: 100 });
  await log.append('orphan', [JSON.stringify(delta('a'))]);
  const there = proxyOf(
    fromLanguageModel(createOpenAICompatible({ name: 'p', baseURL: 'http://x' }).chatModel('m')),
    {
      streamLog: log,
    },
  );
  const events = eventsOf(await textOf(await there.fetch(at('orphan'))));
  expect(events).toMatchObject([delta('a'), { type: 'error', code: 'stream-incomplete', retryable: true }]);
  expect((await log.head('orphan'))?.isEnded).toBe(true);
});
