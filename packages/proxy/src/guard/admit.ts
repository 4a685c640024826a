import { type InferenceRequest, Usage } from '@vitrine/core';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { readBody } from './body.ts';
import type { FileUrlRules } from './file-urls.ts';
import { type RequestLimits, withLimits } from './limits.ts';
import { modelsOf } from './models-of.ts';
import { narrowRequest } from './narrow-request.ts';
import type { Principal } from './principal.ts';
import { estimateUsage } from './quotas/estimate.ts';
import type { Admission, Quotas } from './quotas/quotas.ts';

/** What decides whether an inference may begin. */
export type Gate = {
  readonly models: readonly ProxyModel[];
  readonly defaultModel: ProxyModel;
  readonly limits: RequestLimits;
  readonly quotas: Quotas;
  readonly fileUrls: FileUrlRules;
};

/** An inference that may be asked for: what of which model, and the way into the quotas. */
export type AdmittedInference = {
  readonly model: ProxyModel;
  readonly request: InferenceRequest;
  /** What it will probably use at most. */
  readonly expected: Usage;
  /** Sets that aside, for a model that will now be asked; whoever reserves has to settle. */
  readonly reserve: () => Promise<Admission | { readonly problem: Problem }>;
};

/** Reads an inference that its principal may ask for; or says why not. */
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
  const estimated = estimateUsage(narrowed, body.textBytes);
  const expected = model.price ? Usage.priced(estimated, model.price) : estimated;
  return {
    model,
    request: narrowed,
    expected,
    reserve: () => gate.quotas.admit(principal.id, model.id, expected),
  };
}
