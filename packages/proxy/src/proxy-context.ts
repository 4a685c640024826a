import { AgentError } from '@vitrine/core';
import type { FileUrlRules } from './guard/file-urls.ts';
import { type RequestLimits, withLimits } from './guard/limits.ts';
import { createQuotas, type Quotas } from './guard/quotas/quotas.ts';
import { systemResolver } from './guard/resolve-host.ts';
import type { InferenceProxyOptions } from './inference-proxy.ts';
import { logLine, type ProxyLogEntry } from './log-entry.ts';
import { type Problem, problemResponse } from './problems/problem.ts';
import type { ProxyModel } from './providers/proxy-model.ts';
import { createInferences, type Inferences } from './stream/inferences.ts';

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
  readonly limits: RequestLimits;
  readonly quotas: Quotas;
  readonly fileUrls: FileUrlRules;
  readonly log: (entry: ProxyLogEntry) => void;
  /** The answer that is a problem, after a line in the log. */
  readonly refuse: (problem: Problem, about?: RequestFacts) => Response;
};

/** @throws AgentError `agent-invalid` without models, or with a default that is not one of them, for limits and quotas that are none. */
export function createProxyContext(options: InferenceProxyOptions): ProxyContext {
  const { models, resolveHost = systemResolver() } = options;
  const log = harmless(options.log ?? logLine);
  const defaultModel = models.find((model) => model.id === (options.defaultModel ?? models[0]?.id));
  if (!defaultModel) {
    throw new AgentError(
      'agent-invalid',
      'createInferenceProxy: give at least one model, and a defaultModel that is one of them.',
    );
  }
  return {
    models,
    defaultModel,
    inferences: createInferences(options),
    limits: withLimits(options.limits),
    quotas: createQuotas(options.quotas),
    fileUrls: { allowed: options.allowedFileHosts ?? null, resolve: resolveHost },
    log,
    refuse(problem, { startedAt = Date.now(), id = null, model = null } = {}) {
      log({ id, code: problem.code, status: problem.status, model, ms: Date.now() - startedAt });
      return problemResponse(problem);
    },
  };
}

/** A log that throws must not end what it is told of. */
function harmless(log: (entry: ProxyLogEntry) => void): (entry: ProxyLogEntry) => void {
  return (entry) => {
    try {
      log(entry);
    } catch {
      // There is nobody left to tell.
    }
  };
}
