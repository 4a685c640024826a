import { stopSignals } from '../graph/execution-budget.ts';
import { spentOf } from '../graph/limits.ts';
import type { ModelPrice } from '../graph/llm-config.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { type CallEstimate, estimateCall, hasFiles, sentBytes, sentTextBytes } from '../run/estimate-call.ts';
import type { Hold } from '../run/ledger.ts';
import { priceFor, stateOf } from '../run/run.ts';
import { CallFailed, type Feature, type Slots, type Run } from '../run/slots.ts';

/** Asks for the price of the model before anything is held or charged. */
export const prices: Feature = (run) => ({
  async aroundModel(call, next) {
    const model = call.wire.model ?? run.agent.inference.defaultModel ?? null;
    return next({ ...call, price: await priceFor(run, model) });
  },
});

/**
 * Counts steps, ends the run at its limits, and reserves room for each attempt, here and in every budget above. The room
 * of a failed attempt is given back behind its charge, that of an answer when its usage is part of the spending.
 */
export const budgets: Feature = (run) => {
  const { ledger } = run;
  const counted: Slots = {
    limits: (now) => [
      ...stopSignals(run.budget, spentOf(stateOf(run), now), now),
      // Limits of the agents above apply to this one too.
      ...ledger.stopSignals(now),
    ],
    countStep: ledger.countStep,
  };
  if (!ledger.isLimited) return counted;
  return {
    ...counted,
    async aroundModel(call, next) {
      const { rooms } = call;
      let room = await holdRequest(run, call.wire, call.price);
      rooms.add(room);
      const prepareAgain = async (): Promise<boolean> => {
        const hasSpent = await call.prepareAgain();
        if (!hasSpent) return false;
        room.settle(null);
        room = await holdRequest(run, call.wire, call.price);
        rooms.add(room);
        return true;
      };
      try {
        return await next({ ...call, prepareAgain });
      } catch (thrown) {
        room.settle(thrown instanceof CallFailed ? thrown.call.usage : null);
        throw thrown;
      }
    },
  };
};

/** Bytes of the shortest request that is measured: in shorter ones the provider's own additions weigh too much. */
const leastMeasured = 4096;

/** Waits for room for a request; its answer tells how many tokens so many bytes have. */
async function holdRequest(run: Run, request: InferenceRequest, price: ModelPrice | null): Promise<Hold> {
  const { maxOutputTokens: limit } = request.settings;
  const textBytes = sentTextBytes(request);
  const call = {
    requestBytes: sentBytes(request),
    textBytes,
    hasFiles: hasFiles(request),
    maxOutputTokens: typeof limit === 'number' && limit > 0 ? limit : null,
    price,
  };
  const hold = await holdRoom(run, call, run.signal);
  return {
    settle(usage) {
      const isMeasure = textBytes >= leastMeasured && !hasFiles(request);
      if (isMeasure && usage !== null && usage.isEstimated !== true)
        run.ledger.recordMeasure(textBytes, usage.inputTokens);
      hold.settle(usage);
    },
  };
}

/** Waits for room for a model call in the budget of this agent and of those above it. */
export function holdRoom({ ledger }: Run, call: SizedCall, signal: AbortSignal): Promise<Hold> {
  const estimate = (): CallEstimate =>
    estimateCall({ ...call, largestOutput: ledger.largestOutput(), tokensPerByte: ledger.tokensPerByte() });
  return ledger.hold(estimate, signal);
}

type SizedCall = Omit<Parameters<typeof estimateCall>[0], 'largestOutput' | 'tokensPerByte'>;
