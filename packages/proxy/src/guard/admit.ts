import { hexOf, sha256 } from '../kit/digest.ts';
import type { InferenceRequest, Usage } from '@vitrine/core';
import { type Problem, problems } from './problems.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { readBody } from './body.ts';
import type { FileUrlRules } from './file-urls.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { RequestLimits } from './limits.ts';
import { type Catalog, modelsOf, type Principal } from './guard.ts';
import { narrowRequest } from './narrow-request.ts';
import { estimateUsage, usualOutput } from './estimate.ts';
import type { Quotas } from './quotas.ts';

/** The parts that decide whether an inference may begin. */
export type Gate = {
  /** The models, with those that servers list. */
  readonly catalog: () => Promise<Catalog>;
  readonly limits: RequestLimits;
  readonly quotas: Quotas;
  readonly held: HeldBytes;
  readonly fileUrls: FileUrlRules;
};

/** The call of a model that may give the answer. */
export type AdmittedCall = {
  readonly model: ProxyModel;
  /** The request as this model may get it. */
  readonly request: InferenceRequest;
  /** The most usage that it may cause. */
  readonly expected: Usage;
};

export type AdmittedInference = {
  /** The call of the asked model, and those that may take its place, in their order. */
  readonly calls: readonly [AdmittedCall, ...AdmittedCall[]];
  /** SHA-256 of the body for a request with an idempotency key, otherwise null. */
  readonly digest: string | null;
};

type BodyRead = {
  readonly limits: RequestLimits;
  /** Reserves so many bytes in all; false when there is no room. */
  readonly makeRoom: (bytes: number) => boolean;
  readonly hasKey: boolean;
};

/** The most models that are asked when the first one fails. */
const mostFallbacks = 2;

/** Reads an inference and checks that its principal may ask for it. Otherwise returns the refusal. */
export async function admit(
  request: Request,
  principal: Principal,
  gate: Gate,
  { limits, makeRoom, hasKey }: BodyRead,
): Promise<AdmittedInference | { readonly problem: Problem }> {
  const body = await readBody(request, makeRoom, limits, gate.fileUrls);
  if ('problem' in body) return body;
  const { models, defaultModel } = modelsOf(principal, await gate.catalog());
  const asked = body.request.model;
  const model = asked === null ? defaultModel : models.find(({ id }) => id === asked);
  if (!model) return { problem: problems.unknownModel(models) };
  const asking = await withOwnKey(body.request, principal);
  const callOf = (one: ProxyModel): AdmittedCall => {
    const narrowed = narrowRequest(asking, one, limits, gate.quotas.boundsCost ? usualOutput : null);
    return { model: one, request: narrowed, expected: estimateUsage(narrowed, body.textBytes, one, limits) };
  };
  // A fallback that this principal may not ask for is left out.
  const others = (model.fallback ?? []).flatMap((id) => models.find((other) => other.id === id) ?? []);
  return {
    calls: [callOf(model), ...others.slice(0, mostFallbacks).map(callOf)],
    digest: hasKey ? hexOf(await sha256(body.text)) : null,
  };
}

/** The request with a key of its conversation that no other principal can name at a provider. */
async function withOwnKey(request: InferenceRequest, { id }: Principal): Promise<InferenceRequest> {
  const { cache } = request;
  if (cache === undefined || cache.key === null) return request;
  const key = hexOf(await sha256(JSON.stringify([id, cache.key]))).slice(0, 32);
  return { ...request, cache: { ...cache, key } };
}
