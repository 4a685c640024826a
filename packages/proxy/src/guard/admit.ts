import type { InferenceRequest } from '@vitrine/core';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { readBody } from './body.ts';
import type { FileUrlRules } from './file-urls.ts';
import { type RequestLimits, withLimits } from './limits.ts';
import { modelsOf } from './models-of.ts';
import { narrowRequest } from './narrow-request.ts';
import type { Principal } from './principal.ts';
import { actualUsage, estimateUsage } from './quotas/estimate.ts';
import { createMeter, type Meter } from './quotas/meter.ts';
import type { Quotas } from './quotas/quotas.ts';

/** What decides whether an inference may begin. */
export type Gate = {
  readonly models: readonly ProxyModel[];
  readonly defaultModel: ProxyModel;
  readonly limits: RequestLimits;
  readonly quotas: Quotas;
  readonly fileUrls: FileUrlRules;
};

/** An inference that may begin: what is asked of which model, and whom to tell when it is over. */
export type AdmittedInference = {
  readonly model: ProxyModel;
  readonly request: InferenceRequest;
  readonly client: Meter['client'];
  /** Settles what it has cost; `hasFailed` when an error was its end. */
  readonly settle: (hasFailed: boolean) => void;
};

/** Lets an inference in, within what its principal may ask for and use; or says why not. */
export async function admit(
  request: Request,
  principal: Principal,
  gate: Gate,
): Promise<AdmittedInference | { readonly problem: Problem }> {
  const limits = withLimits(principal.limits, gate.limits);
  const body = await readBody(request, limits, gate.fileUrls);
  if ('problem' in body) return body;
  const { models, defaultModel } = modelsOf(principal, gate);
  const asked = body.request.model;
  const model = asked === null ? defaultModel : models.find(({ id }) => id === asked);
  if (!model) return { problem: problems.unknownModel(models) };
  const narrowed = narrowRequest(body.request, model, limits);
  const estimate = estimateUsage(narrowed, body.textBytes);
  const admission = await gate.quotas.admit(principal.id, model.id, estimate);
  if ('problem' in admission) return admission;
  const meter = createMeter(model.client);
  return {
    model,
    request: narrowed,
    client: meter.client,
    settle: (hasFailed) => admission.settle(actualUsage(meter, estimate, hasFailed)),
  };
}
