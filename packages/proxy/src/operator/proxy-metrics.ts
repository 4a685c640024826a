import { wrongSetting } from '../kit/env-record.ts';
import { boundedLabel } from '../kit/text.ts';
import { sha256 } from '../kit/digest.ts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricsSource, ProxyLogEntry } from './request-line.ts';

type ProxyMetricsOptions = {
  /** The bearer token of the scraper, at least 16 characters; `METRICS_TOKEN` of the demo's server. */
  readonly token: string;
  /** The registry of the metrics, e.g. the one of the process. Default: a new registry. */
  readonly register?: Registry;
};

const leastToken = 16;
/** Far above the number of models or codes. */
const maxLabels = 200;
const seconds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/**
 * Metrics for Prometheus at `GET /metrics`, for `createInferenceProxy({ metrics })`: calls, tokens, cost and times by
 * model, refusals by code, open streams. No label names the caller. It needs the package `prom-client`.
 * @throws AgentError `agent-invalid` for a token that is too short.
 */
export function proxyMetrics({ token, register = new Registry() }: ProxyMetricsOptions): MetricsSource {
  if (token.length < leastToken) {
    throw wrongSetting(`proxyMetrics: give a token of at least ${leastToken} characters (METRICS_TOKEN).`);
  }
  const { count, watch } = createFigures(register);
  return {
    count,
    watch,
    async answer({ headers }) {
      const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
      if (!(await isSameSecret(given, token))) return null;
      const figures = await register.metrics();
      return new Response(figures, { headers: { 'content-type': register.contentType } });
    },
  };
}

function createFigures(register: Registry): Pick<MetricsSource, 'count' | 'watch'> {
  const registers = [register];
  const calls = new Counter({
    name: 'vitrine_calls_total',
    help: 'Model calls that have ended, by model and outcome.',
    labelNames: ['model', 'outcome', 'code'],
    registers,
  });
  const tokens = new Counter({
    name: 'vitrine_tokens_total',
    help: 'Tokens of calls, as the provider said or as estimated.',
    labelNames: ['model', 'direction'],
    registers,
  });
  const cost = new Counter({
    name: 'vitrine_cost_total',
    help: 'What calls cost, of models with a price and in its currency.',
    labelNames: ['model'],
    registers,
  });
  const refusals = new Counter({
    name: 'vitrine_refusals_total',
    help: 'Requests that were refused before a model was asked.',
    labelNames: ['code'],
    registers,
  });
  const times = { labelNames: ['model'], buckets: seconds, registers };
  const duration = new Histogram({
    ...times,
    name: 'vitrine_call_duration_seconds',
    help: 'From the question to the end of the stream.',
  });
  const firstEvent = new Histogram({
    ...times,
    name: 'vitrine_first_event_seconds',
    help: 'From the question to the first event of the model.',
  });
  const [modelOf, codeOf] = [boundedLabel(maxLabels), boundedLabel(maxLabels)];

  function countCall(entry: ProxyLogEntry): void {
    const model = modelOf(entry.model ?? 'unknown');
    calls.inc({ model, outcome: entry.outcome, code: entry.code === null ? '' : codeOf(entry.code) });
    tokens.inc({ model, direction: 'input' }, entry.inputTokens ?? 0);
    tokens.inc({ model, direction: 'output' }, entry.outputTokens ?? 0);
    if (entry.cost !== null) cost.inc({ model }, entry.cost);
    duration.observe({ model }, entry.ms / 1000);
    if (entry.firstEventMs !== null) firstEvent.observe({ model }, entry.firstEventMs / 1000);
  }

  return {
    count(entry) {
      // Only a model call reports usage, even if it is zero.
      if (entry.inputTokens !== null) countCall(entry);
      else if (entry.code !== null) refusals.inc({ code: codeOf(entry.code) });
    },
    watch(openStreams) {
      new Gauge({
        name: 'vitrine_open_streams',
        help: 'Model calls that run in this process.',
        registers,
        collect() {
          this.set(openStreams());
        },
      });
    },
  };
}

/** Compares two secrets in constant time, by their digests. */
async function isSameSecret(given: string, secret: string): Promise<boolean> {
  const [one, other] = await Promise.all([sha256(given), sha256(secret)]);
  return one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0;
}
