import { wrongSetting } from '../kit/env-record.ts';
import type { Gate } from '../guard/admit.ts';
import { createHeldBytes } from '../guard/held-bytes.ts';
import { withLimits } from '../guard/limits.ts';
import { createQuotas } from '../guard/quotas.ts';
import { systemResolver } from '../guard/file-urls.ts';
import type { SettledOptions } from '../inference-proxy.ts';
import { checkFallbacks, listedModels } from '../providers/proxy-model.ts';
import { createStandIns, type StandIns } from './stand-ins.ts';
import { entryRecorder, harmless, type ProxyLogEntry } from '../operator/request-line.ts';
import { createInferences, type Inferences } from '../stream/inferences.ts';
import { memoryStreamLog } from '../stream/memory-stream-log.ts';
import { withKnownFailures } from '../stream/stream-log.ts';
import { streamLimits } from '../stream/stream-limits.ts';
import type { StreamReport } from '../stream/stream-report.ts';

export type ProxyContext = Gate & {
  readonly inferences: Inferences;
  /** The models that answer in the place of others at the moment. */
  readonly standIns: StandIns;
  /** Logs a request. Never throws, whatever the application's log does. */
  readonly log: (entry: ProxyLogEntry) => void;
  /** Reports the end of a call to the application. Never throws. */
  readonly report: (report: StreamReport) => void;
};

/** @throws AgentError `agent-invalid` without models, or with a default that is not one of them, for limits and quotas that are none, and for a fallback that is not served. */
export function createProxyContext(options: SettledOptions): ProxyContext {
  const { models, resolveHost = systemResolver(), metrics } = options;
  const [first] = models;
  const found = models.find((model) => model.id === (options.defaultModel ?? first?.id));
  // The default may be one of a list that is not known yet.
  const defaultModel = found ?? (models.some(({ list }) => list !== undefined) ? first : undefined);
  if (!defaultModel) {
    throw wrongSetting(
      'createInferenceProxy: give at least one model, and a defaultModel that is one of them.',
    );
  }
  checkFallbacks(models);
  const limits = streamLimits(options.limits);
  // The memory log does not fail.
  const log = options.streamLog ? withKnownFailures(options.streamLog) : memoryStreamLog(limits);
  const inferences = createInferences(log, limits);
  metrics?.watch(() => inferences.running.size);
  return {
    async catalog() {
      const listed = await listedModels(models);
      const wanted = listed.find(({ id }) => id === (options.defaultModel ?? defaultModel.id));
      return { models: listed, defaultModel: wanted ?? listed[0] ?? defaultModel };
    },
    inferences,
    standIns: createStandIns(),
    limits: withLimits(options.limits),
    held: createHeldBytes(limits.allHeldBytes),
    quotas: createQuotas(options.quotas),
    fileUrls: { allowed: options.allowedFileHosts ?? null, resolve: resolveHost },
    log: entryRecorder(options),
    report: harmless(options.onStreamEnd ?? (() => undefined)),
  };
}
