import { priceOf } from '../../graph/llm-config.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { estimateCall } from '../estimate-call.ts';
import type { Hold } from '../ledger.ts';
import { effectiveLlmConfig, type Run } from '../run.ts';
import { hasFiles, sentBytes, sentTextBytes } from '../call-bytes.ts';

/**
 * Bytes of the shortest request whose ratio is measured. In shorter ones the provider's own additions weigh
 * too much.
 */
const leastMeasured = 4096;

/** Waits for room for one model call in the budget of this agent and of those above it. */
export async function holdRoom(run: Run, request: InferenceRequest): Promise<Hold> {
  const { ledger, signal } = run;
  if (!ledger.isLimited) return ledger.hold({ tokens: null, cost: null }, signal);
  const requestBytes = sentBytes(request);
  const textBytes = sentTextBytes(request);
  const limit = request.settings['maxOutputTokens'];
  const price = priceOf(request.model, effectiveLlmConfig(run));
  const estimate = (): ReturnType<typeof estimateCall> =>
    estimateCall({
      requestBytes,
      textBytes,
      maxOutputTokens: typeof limit === 'number' && limit > 0 ? limit : null,
      largestOutput: ledger.largestOutput(),
      tokensPerByte: ledger.tokensPerByte(),
      price,
    });
  const hold = await ledger.hold(estimate, signal);
  return {
    settle(usage) {
      const isMeasure = textBytes >= leastMeasured && !hasFiles(request);
      if (isMeasure && usage !== null && usage.isEstimated !== true)
        ledger.measured(textBytes, usage.inputTokens);
      hold.settle(usage);
    },
  };
}
