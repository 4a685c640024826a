import { AgentState, type StopReason, type StopSignal } from '@vitrine/core';
import type { LimitKey, SessionBudget } from '@vitrine/core/types';
import type { UsedTexts } from './texts.ts';

/** The end of the last answer as a sentence. */
type EndOfAnswer = {
  /** Null while an answer runs, and for a complete one. */
  readonly sentence: string | null;
  /** True if a limit was reached, so there may be more to come. */
  readonly isLimit: boolean;
  /** True if the model stopped at its output limit in the middle of the answer. */
  readonly isCut: boolean;
};

type Words = UsedTexts['endOfAnswer'];

/**
 * The sentence of an answer that ended for a reason. A limit has one of the tables below. Null: the answer is
 * complete, or the error of its turn is shown.
 */
const endings: Readonly<Record<StopReason, 'stopped' | 'stoppedByYou' | 'limit' | null>> = {
  'error-forbade': null,
  'stop-requested': 'stopped',
  'steps-limit-reached': 'limit',
  'token-limit-reached': 'limit',
  'time-limit-reached': 'limit',
  'cost-limit-reached': 'limit',
  'retry-limit-reached': null,
  'finish-reason-received': null,
  'user-requested': 'stoppedByYou',
  completed: null,
  unknown: 'stopped',
};

/** The name of a limit in the signal's context. */
type ShownLimit = LimitKey | 'maxTotalSteps';
type Say = (words: Words, limit: number, context: StopSignal['context']) => string;
type LimitText = { readonly key: ShownLimit; readonly say: Say };

/** The limits of an answer. Null: the message of the signal says it, because a moment has no amount. */
const limits: Readonly<Record<LimitKey, Say | null>> = {
  maxSteps: (words, limit) => words.maxSteps(limit),
  maxTokens: (words, limit) => words.maxTokens(limit),
  maxSeconds: (words, limit) => words.maxSeconds(limit),
  deadline: null,
  maxCost: (words, limit, context) =>
    isCostUnknown(context) ? words.maxCostOfUnknownPrice(limit) : words.maxCost(limit),
};

/** The limits of a whole session. */
const sessionLimits: Readonly<Record<keyof SessionBudget, LimitText>> = {
  tokens: { key: 'maxTokens', say: (words, limit) => words.chatTokens(limit) },
  cost: {
    key: 'maxCost',
    say: (words, limit, context) =>
      isCostUnknown(context) ? words.chatCostOfUnknownPrice(limit) : words.chatCost(limit),
  },
};

/** The limits by the source of the signal that reports them. */
const limitsOf: Readonly<Record<'budget' | 'session-budget' | 'ledger', readonly LimitText[]>> = {
  budget: (Object.keys(limits) as LimitKey[]).flatMap((key) => {
    const say = limits[key];
    return say === null ? [] : [{ key, say }];
  }),
  'session-budget': Object.values(sessionLimits),
  ledger: [{ key: 'maxTotalSteps', say: (words, limit) => words.maxTotalSteps(limit) }],
};

/** The texts for a model call that needs more than is left. Null for a limit that is not estimated. */
const refusals: Readonly<Record<ShownLimit, 'tokensLeft' | 'costLeft' | null>> = {
  maxSteps: null,
  maxTotalSteps: null,
  maxTokens: 'tokensLeft',
  maxSeconds: null,
  deadline: null,
  maxCost: 'costLeft',
};

/** A cost limit also applies when the cost so far is unknown. */
function isCostUnknown({ cost, maxCost }: StopSignal['context']): boolean {
  return Number(cost) < Number(maxCost);
}

const whole: EndOfAnswer = { sentence: null, isLimit: false, isCut: false };

/** Describes how the last answer ended, in these words. */
export function endOfAnswer(state: AgentState, words: Words): EndOfAnswer {
  const signal = AgentState.stopSignal(state);
  const ending = signal === null ? null : endingOf(signal.reason);
  if (signal !== null && ending === 'limit')
    return { ...whole, sentence: limitSentence(signal, words), isLimit: canGoOn(signal, state) };
  const sentence = ending === null || ending === 'limit' ? emptyAnswer(state, words) : words[ending];
  if (sentence !== null) return { ...whole, sentence };
  return isCutAnswer(state) ? { ...whole, isCut: true } : whole;
}

/**
 * False when to go on is pointless: the budget of the whole session is used up, nobody knows what the next call costs,
 * or the deadline had passed before the run began.
 */
function canGoOn({ source, reason, context }: StopSignal, { execution }: AgentState): boolean {
  if (source === 'session-budget') return false;
  if (Number(context['deadline']) <= (execution?.startedAt ?? 0)) return false;
  return reason !== 'cost-limit-reached' || context['refused'] === true || !isCostUnknown(context);
}

function isCutAnswer(state: AgentState): boolean {
  return (
    AgentState.status(state) === 'completed' &&
    AgentState.lastStep(state)?.inferenceResponse?.finishReason === 'length'
  );
}

/** A newer version may have stored a reason that this one does not know. */
function endingOf(reason: StopReason): (typeof endings)[StopReason] {
  return Object.hasOwn(endings, reason) ? endings[reason] : 'stopped';
}

function limitSentence({ context, message, source }: StopSignal, words: Words): string {
  const texts = source === 'session-budget' || source === 'ledger' ? limitsOf[source] : limitsOf.budget;
  const text = texts.find(({ key }) => typeof context[key] === 'number');
  if (text === undefined) return words.stoppedBecause(message);
  const limit = Number(context[text.key]);
  const refusal = context['refused'] === true ? refusals[text.key] : null;
  return refusal === null ? text.say(words, limit, context) : words[refusal](Number(context['left']), limit);
}

function emptyAnswer(state: AgentState, words: Words): string | null {
  const step = AgentState.lastStep(state);
  if (AgentState.status(state) !== 'completed' || step === null) return null;
  const { finishReason, explanation } = step.inferenceResponse ?? {};
  if (finishReason === 'content-filter') {
    return explanation === undefined ? words.heldBack : words.heldBackBecause(explanation);
  }
  const isEmpty = !step.outputMessages.some(({ parts }) =>
    parts.some((part) => part.type === 'file' || (part.type === 'text' && part.text.trim() !== '')),
  );
  return isEmpty ? words.empty : null;
}
