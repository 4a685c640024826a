import {
  type InferenceClient,
  type InferenceEvent,
  type InferenceRequest,
  type ModelPrice,
  Usage,
} from '@vitrine/core';
import { present } from '@vitrine/core/internal/kit/json';
import { fileCharacters } from './guard/body.ts';
import { estimateUsage, usualOutput } from './guard/estimate.ts';
import { type RequestLimits, withLimits } from './guard/limits.ts';
import { narrowSettings } from './guard/narrow-request.ts';
import { type Problem, problems } from './guard/problems.ts';
import { createQuotas, createStanding, type QuotaOptions } from './guard/quotas.ts';
import { countStream } from './stream/stream-report.ts';

type InferenceCall = Parameters<InferenceClient['stream']>[1];

/** The limits that bound the most that an answer may cost. */
export type AnswerLimits = Pick<RequestLimits, 'maxOutputTokens' | 'contextTokens'>;

/** The principal who pays for a call, and its price. */
type Payer = {
  readonly principal: string;
  /** The price of the tokens of the asked model; null when it is unknown. */
  readonly price: ModelPrice | null;
};

/** The caller of a client, as the guard asks it. */
type GuardedCaller = {
  readonly payer: (model: string | null) => Payer | Promise<Payer>;
  /** Receives the original error of a call, for logs. It may hold secrets. */
  readonly onError: (error: unknown, call: InferenceCall) => void;
};

/** The guard of the model calls that a server makes for its principals. */
export type GuardedCalls = {
  /** A client whose calls reserve the most that they may cost. One above the quota ends as `quota-exceeded`. */
  readonly client: (client: InferenceClient, caller: GuardedCaller) => InferenceClient;
  /** Counts the usage of a call that was made without a reservation. */
  readonly charge: (principal: string, usage: Usage) => void;
};

/** The quota of cost for the calls of another package. @throws AgentError `agent-invalid` for quotas and limits */
export function guardedCalls(
  { cost, costOf }: Pick<QuotaOptions, 'cost' | 'costOf'>,
  given: Partial<AnswerLimits> = {},
): GuardedCalls {
  const quotas = createQuotas({ ...(cost && { cost }), ...(costOf && { costOf }) });
  const limits = withLimits(given);

  /** Reserves the most that a call may cost. The request gets the limit that was reserved. */
  async function admit({ principal, price }: Payer, request: InferenceRequest, signal: AbortSignal) {
    const admission = await quotas.enter(principal, createStanding());
    if ('problem' in admission) return admission;
    const most = { most: limits.maxOutputTokens, usual: usualOutput };
    const bounded = { ...request, settings: narrowSettings(request.settings, undefined, most) };
    const expected = estimateUsage(bounded, textBytes(request), price === null ? {} : { price }, limits);
    const problem = await admission.reserve([{ model: request.model ?? '', most: expected }]);
    if (problem === null && !signal.aborted) return { admission, bounded, expected };
    admission.settle(null);
    return { problem: problem ?? problems.cancelled };
  }

  async function* payCall(
    client: InferenceClient,
    payer: GuardedCaller['payer'],
    request: InferenceRequest,
    call: InferenceCall,
  ): AsyncGenerator<InferenceEvent> {
    const { principal, price } = await payer(request.model ?? client.defaultModel ?? null);
    const admitted = await admit({ principal, price }, request, call.signal);
    if ('problem' in admitted) return yield refusal(admitted.problem);
    const { admission, bounded, expected } = admitted;
    const count = countStream({ id: '', ownerId: principal, request: bounded, expected, price });
    let thrown: unknown = null;
    const onError = (error: unknown): void => {
      thrown = error;
      call.onError?.(error);
    };
    try {
      for await (const event of client.stream(bounded, { ...call, onError })) {
        // The size is for reports, which nobody reads here.
        count.note(event, 0);
        yield event;
      }
    } catch (error) {
      thrown = error;
      throw error;
    } finally {
      const how = { outcome: 'completed', code: null, cause: null } as const;
      const { usage } = count.report({ ...how, thrown: call.signal.aborted ? null : thrown });
      admission.settle(price === null ? usage : Usage.withPrice({ ...usage, cost: null }, price));
    }
  }

  return {
    client(client, { payer, onError }) {
      const { continuesAnswers, defaultModel } = client;
      const watchErrors = (call: InferenceCall): InferenceCall => ({
        ...call,
        onError(error) {
          onError(error, call);
          call.onError?.(error);
        },
      });
      return {
        ...present({ continuesAnswers, defaultModel }),
        ...(client.price && { price: async (model) => (await client.price?.(model)) ?? null }),
        stream: (request, call) =>
          quotas.boundsCost
            ? payCall(client, payer, request, watchErrors(call))
            : client.stream(request, watchErrors(call)),
      };
    },
    charge: quotas.charge,
  };
}

const longestWaitMs = 60_000;

/** A refusal as the end of an answer. One that takes long to pass is not tried again, so that the person hears of it. */
function refusal({ code, detail, retryable = false, retryAfterMs = null }: Problem): InferenceEvent {
  const isShort = (retryAfterMs ?? 0) <= longestWaitMs;
  return { type: 'error', code, message: detail, retryable: retryable && isShort, retryAfterMs };
}

const encoder = new TextEncoder();

function textBytes(request: InferenceRequest): number {
  return encoder.encode(JSON.stringify(request)).length - fileCharacters(request);
}
