import type { JsonObject } from '../kit/json.ts';
import type { StopReason } from './stop-signal.ts';
import type { LimitKey } from './limits.ts';

type LimitSignal = {
  /** The stop reason of a run that reaches the limit. */
  readonly reason: StopReason;
  readonly message: (spent: number, limit: number) => string;
  /** The context of the signal, for programs. */
  readonly context: (spent: number, limit: number) => JsonObject;
  /**
   * The reason why the spending is unknown; null when it is known. A limit with unknown spending counts as reached.
   */
  readonly unknown: (spent: { readonly hasUnknownCost?: boolean }, limit: number) => string | null;
};

const known = (): null => null;

const priceIsUnknown =
  'the price of the model is not known; give `llmConfig.prices` for it, or take `maxCost` out of the budget.';

/** The signals of reached limits. */
export const limitSignals: { readonly [Key in LimitKey]: LimitSignal } = {
  maxSteps: {
    reason: 'steps-limit-reached',
    message: (spent, limit) => `Step limit reached: ${spent}/${limit}`,
    context: (currentSteps, maxSteps) => ({ currentSteps, maxSteps }),
    unknown: known,
  },
  maxTokens: {
    reason: 'token-limit-reached',
    message: (spent, limit) => `Token limit reached: ${spent}/${limit}`,
    context: (totalTokens, maxTokens) => ({ totalTokens, maxTokens }),
    unknown: known,
  },
  maxSeconds: {
    reason: 'time-limit-reached',
    message: (spent, limit) => `Time limit reached: ${spent.toFixed(1)}/${limit} s`,
    context: (elapsedSeconds, maxSeconds) => ({ elapsedSeconds, maxSeconds }),
    unknown: known,
  },
  deadline: {
    reason: 'time-limit-reached',
    message: (_now, deadline) => `Deadline passed: ${new Date(deadline).toISOString()}`,
    context: (now, deadline) => ({ now, deadline }),
    unknown: known,
  },
  maxCost: {
    reason: 'cost-limit-reached',
    message: (spent, limit) => `Cost limit reached: ${Number(spent.toFixed(6))}/${limit}`,
    context: (cost, maxCost) => ({ cost, maxCost }),
    unknown: ({ hasUnknownCost: isUnknown = false }, limit) =>
      isUnknown ? `Cost limit of ${limit} cannot be kept: ${priceIsUnknown}` : null,
  },
};
