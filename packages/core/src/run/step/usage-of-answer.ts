import type { Usage } from '../../graph/usage.ts';
import { type ReportedUsage, unreported, usageOfCall } from '../../graph/usage-of-call.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { sentBytes } from '../estimate-call.ts';
import { commit, withCost } from '../run.ts';
import type { Receiver } from './receive.ts';
import type { Run } from '../slots.ts';

/** The usage of a call with its cost. Impossible figures are replaced by estimates. */
export function usageOfAnswer(
  run: Run,
  wire: InferenceRequest,
  receiver: Receiver,
  reported: ReportedUsage,
): Usage {
  return pricedUsage(run, wire, { model: receiver.start().model, countIn: receiver.bytes, reported });
}

/** The usage of a call of a model, which counts its output by itself where none is reported. */
export function pricedUsage(
  run: Run,
  wire: InferenceRequest,
  answer: { readonly model: string | null; readonly countIn: () => number; readonly reported: ReportedUsage },
): Usage {
  const { model, countIn, reported } = answer;
  const usage = usageOfCall(reported, { countOut: () => sentBytes(wire), countIn });
  return withCost(run, usage, [model, wire.model ?? run.agent.inference.defaultModel ?? null]);
}

/** Charges a call that broke off for its request and its output so far. */
export function chargeAnswer(
  run: Run,
  wire: InferenceRequest,
  receiver: Receiver,
  reason: 'failed' | 'aborted',
): Usage {
  const usage = usageOfAnswer(run, wire, receiver, unreported);
  commit(run, { type: 'usage-charge', reason, hook: null, usage });
  return usage;
}
