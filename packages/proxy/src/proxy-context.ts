import { AgentError } from '@vitrine/core';
import type { InferenceProxyOptions } from './inference-proxy.ts';
import { logLine, type ProxyLogEntry } from './log-entry.ts';
import { type Problem, problemResponse } from './problems/problem.ts';
import type { ProxyModel } from './providers/proxy-model.ts';
import { createInferences, type Inferences } from './stream/inferences.ts';
import { memoryStreamLog } from './stream/memory-stream-log.ts';
import { streamLimits } from './stream/stream-limits.ts';
import type { StreamReport } from './stream/stream-report.ts';

/** What is known of the request that failed; `startedAt` in milliseconds since the epoch, now by default. */
export type RequestFacts = {
  readonly startedAt?: number;
  readonly id?: string | null;
  readonly model?: string | null;
};

/** What the routes of one proxy share. */
export type ProxyContext = {
  readonly models: readonly ProxyModel[];
  readonly defaultModel: ProxyModel;
  readonly inferences: Inferences;
  /** Never throws, whatever the application's log does. */
  readonly log: (entry: ProxyLogEntry) => void;
  /** Tells the application what became of a call. Never throws. */
  readonly report: (report: StreamReport) => void;
  /** The answer that is a problem, after a line in the log. */
  readonly refuse: (problem: Problem, about?: RequestFacts) => Response;
};

/** @throws AgentError `agent-invalid` without models, or with a default that is not one of them. */
export function createProxyContext(options: InferenceProxyOptions): ProxyContext {
  const { models } = options;
  const log = guarded(options.log ?? logLine);
  const defaultModel = models.find((model) => model.id === (options.defaultModel ?? models[0]?.id));
  if (!defaultModel) {
    throw new AgentError(
      'agent-invalid',
      'createInferenceProxy: give at least one model, and a defaultModel that is one of them.',
    );
  }
  const limits = streamLimits(options.limits);
  return {
    models,
    defaultModel,
    inferences: createInferences(options.streamLog ?? memoryStreamLog(limits), limits),
    log,
    report: guarded(options.onStreamEnd ?? (() => undefined)),
    refuse(problem, { startedAt = Date.now(), id = null, model = null } = {}) {
      log({ id, code: problem.code, status: problem.status, model, ms: Date.now() - startedAt });
      return problemResponse(problem);
    },
  };
}

/** A function of the application that harms nobody when it throws. */
function guarded<Value>(tell: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      tell(value);
    } catch {
      // A stream or an answer must not fail for it.
    }
  };
}
