import { type InferenceEvent, Usage } from '@vitrine/core';
import { describe, expect, it } from 'vitest';
import type { InferenceProxy } from '../inference-proxy.ts';
import { delta, post, proxyOf, puppet } from '../stream/served.fixture.ts';
import { boundedLabel } from '../kit/text.ts';
import { proxyMetrics } from './proxy-metrics.ts';

const token = 'a-token-of-some-length';
const scrape = (proxy: InferenceProxy, authorization = `Bearer ${token}`): Promise<Response> =>
  proxy.fetch(new Request('http://localhost/metrics', { headers: { authorization } }));

/** The metrics without their explanations. */
const figures = async (proxy: InferenceProxy): Promise<string[]> =>
  (await (await scrape(proxy)).text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const usage = Usage.of({ inputTokens: 1000, outputTokens: 500, cost: 0.25 });
const finish: InferenceEvent = { type: 'finish', finishReason: 'stop', usage };

describe('the figures of a proxy', () => {
  it('the metrics count calls, tokens, cost and times by model, refusals by code, and open streams', async () => {
    const model = puppet();
    const proxy = proxyOf(model, {
      metrics: proxyMetrics({ token }),
      authorize: () => ({ id: 'canary-ada' }),
    });
    const answer = await proxy.fetch(post());
    model.say(delta('a'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await figures(proxy)).toContain('vitrine_open_streams 1');
    model.say(finish);
    await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let times = 0; times < 3; times++) await proxy.fetch(new Request('http://localhost/nowhere'));
    await proxy.fetch(new Request('http://localhost/v1/models'));
    const told = await figures(proxy);
    for (const figure of [
      'vitrine_open_streams 0',
      'vitrine_calls_total{model="p:m",outcome="completed",code=""} 1',
      'vitrine_tokens_total{model="p:m",direction="input"} 1000',
      'vitrine_tokens_total{model="p:m",direction="output"} 500',
      'vitrine_cost_total{model="p:m"} 0.25',
      'vitrine_call_duration_seconds_count{model="p:m"} 1',
      'vitrine_first_event_seconds_count{model="p:m"} 1',
      'vitrine_refusals_total{code="not-found"} 3',
    ])
      expect(told).toContain(figure);
    expect(told.join('\n')).not.toContain('canary');
  });

  it('the metrics answer a request with the token, and no other', async () => {
    const proxy = proxyOf(puppet(), { metrics: proxyMetrics({ token }) });
    expect((await scrape(proxy)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const wrong of [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token} x`,
      token,
    ]) {
      const answer = await scrape(proxy, wrong);
      expect([answer.status, await answer.json()], wrong).toMatchObject([401, { code: 'unauthorized' }]);
    }
  });

  it('the metrics answer 404 unless they are given to the proxy', async () => {
    expect((await scrape(proxyOf(puppet()))).status).toBe(404);
  });

  it('the metrics refuse a token that could be guessed', () => {
    expect(() => proxyMetrics({ token: 'short' })).toThrow(/METRICS_TOKEN/);
  });
});

it('labels are bounded, whatever a model says', () => {
  const label = boundedLabel(3);
  expect(['a', 'b', 'c', 'd', 'a', 'e'].map(label)).toEqual(['a', 'b', 'c', 'other', 'a', 'other']);
});
