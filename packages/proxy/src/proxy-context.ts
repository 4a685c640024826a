import { AgentError } from '@vitrine/core';
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
  readonly log: (entry: ProxyLogEntry) => void;
  /** The answer that is a problem, after a line in the log. */
  readonly refuse: (problem: Problem, about?: RequestFacts) => Response;
};

/** @throws AgentError `agent-invalid` without models, or with a default that is not one of them. */
export function createProxyContext(options: InferenceProxyOptions): ProxyContext {
  const { models, log = logLine } = options;
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
    log,
    refuse(problem, { startedAt = Date.now(), id = null, model = null } = {}) {
      log({ id, code: problem.code, status: problem.status, model, ms: Date.now() - startedAt });
      return problemResponse(problem);
    },
  };
}
