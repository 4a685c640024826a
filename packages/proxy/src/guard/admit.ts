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

/** An inference that was admitted. */
export type AdmittedInference = {
  readonly model: ProxyModel;
  readonly request: InferenceRequest;
  /** The most usage that it may cause. */
  readonly expected: Usage;
  /** SHA-256 of the body for a request with an idempotency key, otherwise null. */
  readonly digest: string | null;
};

/** The bounds that apply while a body is read. */
type BodyRead = {
  readonly limits: RequestLimits;
  /** Reserves so many bytes in all; false when there is no room. */
  readonly makeRoom: (bytes: number) => boolean;
  readonly hasKey: boolean;
};

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
  const narrowed = narrowRequest(body.request, model, limits, gate.quotas.boundsCost ? usualOutput : null);
  return {
    model,
    request: narrowed,
    expected: estimateUsage(narrowed, body.textBytes, model, limits),
    digest: hasKey ? hexOf(await sha256(body.text)) : null,
  };
}
