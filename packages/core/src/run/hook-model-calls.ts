import type { HookModelCall } from '../agent/hook.ts';
import { priced, priceOf } from '../graph/llm-config.ts';
import { reportedUsage, usageOfCall } from '../graph/usage-of-call.ts';
import { guarded } from '../kit/async.ts';
import type { JsonValue } from '../kit/json.ts';
import { toJson } from '../kit/to-json.ts';
import { estimateCall } from './estimate-call.ts';
import { commit, effectiveLlmConfig, type Run, stepNumber } from './run.ts';
import { textBytes } from './call-bytes.ts';

/** The model calls of one hook at one point. */
export type HookModelCalls = {
  readonly callModel: <Result>(call: HookModelCall<Result>) => Promise<Result>;
  /** Ends the hook: its open calls are charged as they are. */
  readonly close: () => void;
};

/**
 * Creates the model calls of a hook. They hold room in the ledger like those of steps, and are charged to
 * the step in flight.
 */
export function createHookModelCalls(run: Run, hook: string, signal: AbortSignal): HookModelCalls {
  const open = new Set<() => void>();
  let count = 0;

  async function callModel<Result>(given: HookModelCall<Result>): Promise<Result> {
    const input = toJson(given.input);
    const sent = textBytes(JSON.stringify(input));
    const key = [...run.path, stepNumber(run), 'hook', hook, ++count].join('/');
    const config = effectiveLlmConfig(run);
    const price = priceOf(given.model ?? config?.model ?? null, config);
    const { ledger } = run;
    const estimate = (): ReturnType<typeof estimateCall> =>
      estimateCall({
        requestBytes: sent,
        textBytes: sent,
        maxOutputTokens: given.maxOutputTokens ?? null,
        largestOutput: ledger.largestOutput(),
        tokensPerByte: ledger.tokensPerByte(),
        price,
      });
    const hold = await ledger.hold(estimate, signal);

    /** Charges the call once, however it ends. */
    function charge(reported: unknown, result?: JsonValue): void {
      if (!open.delete(chargeOpen)) return;
      const received = (): number => (result === undefined ? 0 : textBytes(JSON.stringify(result)));
      const usage = usageOfCall(reportedUsage(reported), { sent: () => sent, received });
      const known = price === null ? usage : priced(usage, price);
      const told = result === undefined ? {} : { result };
      try {
        commit(run, { type: 'usage-charge', reason: 'hook', hook, usage: known, key, ...told });
      } finally {
        hold.settle(known);
      }
    }
    const chargeOpen = (): void => charge(null);
    open.add(chargeOpen);
    try {
      const guard = {
        author: `a model call of hook ${JSON.stringify(hook)}`,
        signal,
        timeoutMs: given.timeoutMs ?? null,
        schedule: run.env.schedule,
      };
      const result = await guarded(guard, () => run.perform(key, () => given.call(signal), { hook, input }));
      charge(given.usageOf?.(result), toJson(result));
      return result;
    } finally {
      chargeOpen();
    }
  }

  return {
    callModel,
    close: () => open.forEach((charge) => charge()),
  };
}
