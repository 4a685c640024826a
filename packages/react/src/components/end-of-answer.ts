import { AgentState, type StopReason, type StopSignal } from '@vitrine/core';
import type { LimitKey, SessionBudget } from '@vitrine/core/types';

/** The end of the last answer as a sentence. */
export type EndOfAnswer = {
  /** Null while an answer runs, and for a complete one. */
  readonly sentence: string | null;
  /** True if a limit was reached, so there may be more to come. */
  readonly isLimit: boolean;
};

/**
 * The sentence of an answer that ended for a reason. A limit has one of the tables below. Null: the answer is
 * complete, or the error of its turn is shown.
 */
const endings: Readonly<Record<StopReason, string | 'limit' | null>> = {
  'error-forbade': null,
  'stop-requested': 'Stopped',
  'steps-limit-reached': 'limit',
  'token-limit-reached': 'limit',
  'time-limit-reached': 'limit',
  'cost-limit-reached': 'limit',
  'retry-limit-reached': null,
  'finish-reason-received': null,
  'user-requested': 'Stopped by you',
  completed: null,
  unknown: 'Stopped',
};

/** The name of a limit in the signal's context. */
type ShownLimit = LimitKey | 'maxTotalSteps';
type Say = (limit: string, context: StopSignal['context']) => string;
type LimitText = { readonly key: ShownLimit; readonly say: Say };

/** The limits of an answer. Null: the message of the signal says it, because a moment has no amount. */
const limits: Readonly<Record<LimitKey, Say | null>> = {
  maxSteps: (limit) => `this answer reached its limit of ${limit === '1' ? 'one step' : `${limit} steps`}`,
  maxTokens: (limit) => `this answer reached its limit of ${limit} tokens`,
  maxSeconds: (limit) => `this answer reached its limit of ${limit} seconds`,
  deadline: null,
  maxCost: (limit, context) =>
    isCostUnknown(context)
      ? `this answer has a cost limit of ${limit}, and the price of this model is unknown`
      : `this answer reached its cost limit of ${limit}`,
};

/** The limits of a whole session. */
const sessionLimits: Readonly<Record<keyof SessionBudget, LimitText>> = {
  tokens: { key: 'maxTokens', say: (limit) => `this chat reached its limit of ${limit} tokens` },
  cost: {
    key: 'maxCost',
    say: (limit, context) =>
      isCostUnknown(context)
        ? `this chat has a cost limit of ${limit}, and the price of this model is unknown`
        : `this chat reached its cost limit of ${limit}`,
  },
};

/** The limits by the source of the signal that reports them. */
const limitsOf: Readonly<Record<'budget' | 'session-budget' | 'ledger', readonly LimitText[]>> = {
  budget: (Object.keys(limits) as LimitKey[]).flatMap((key) => {
    const say = limits[key];
    return say === null ? [] : [{ key, say }];
  }),
  'session-budget': Object.values(sessionLimits),
  ledger: [
    {
      key: 'maxTotalSteps',
      say: (limit) =>
        `this answer and its subagents reached their limit of ${limit === '1' ? 'one step' : `${limit} steps`}`,
    },
  ],
};

/** The sentences for a model call that needs more than is left. Null for a limit that is not estimated. */
const refusals: Readonly<Record<ShownLimit, ((left: string, limit: string) => string) | null>> = {
  maxSteps: null,
  maxTotalSteps: null,
  maxTokens: (left, limit) => `the next step needs more than the ${left} tokens left of ${limit}`,
  maxSeconds: null,
  deadline: null,
  maxCost: (left, limit) => `the next step may cost more than the ${left} left of ${limit}`,
};

/** A cost limit also applies when the cost so far is unknown. */
function isCostUnknown({ cost, maxCost }: StopSignal['context']): boolean {
  return Number(cost) < Number(maxCost);
}

const whole: EndOfAnswer = { sentence: null, isLimit: false };

/** Describes how the last answer ended. */
export function endOfAnswer(state: AgentState): EndOfAnswer {
  const signal = AgentState.stopSignal(state);
  const ending = signal === null ? null : endingOf(signal.reason);
  // To go on is pointless when the budget of the whole session is used up.
  if (signal !== null && ending === 'limit')
    return { sentence: limitSentence(signal), isLimit: signal.source !== 'session-budget' };
  const sentence = ending ?? emptyAnswer(state);
  return sentence === null ? whole : { sentence, isLimit: false };
}

/** A newer version may have stored a reason that this one does not know. */
function endingOf(reason: StopReason): string | null {
  return Object.hasOwn(endings, reason) ? endings[reason] : 'Stopped';
}

function limitSentence({ context, message, source }: StopSignal): string {
  const texts = source === 'session-budget' || source === 'ledger' ? limitsOf[source] : limitsOf.budget;
  const text = texts.find(({ key }) => typeof context[key] === 'number');
  if (text === undefined) return `Stopped: ${message}.`;
  const limit = Number(context[text.key]).toLocaleString('en');
  const refusal = context['refused'] === true ? refusals[text.key] : null;
  const left = Number(context['left']).toLocaleString('en');
  return `Stopped: ${refusal?.(left, limit) ?? text.say(limit, context)}.`;
}

function emptyAnswer(state: AgentState): string | null {
  const step = AgentState.lastStep(state);
  if (AgentState.status(state) !== 'completed' || step === null) return null;
  const { finishReason, explanation } = step.inferenceResponse ?? {};
  if (finishReason === 'content-filter') {
    const held = 'The model’s provider held back the rest of this answer.';
    return explanation === undefined ? held : `${held} It says: ${explanation}`;
  }
  const isEmpty = !step.outputMessages.some(({ parts }) =>
    parts.some((part) => part.type === 'file' || (part.type === 'text' && part.text.trim() !== '')),
  );
  return isEmpty ? 'The model gave an empty answer. Ask again, or rephrase your message.' : null;
}
