import { AgentState, type StopReason, type StopSignal } from '@vitrine/core';
import type { LimitKey } from '@vitrine/core/types';
import type { UsedTexts } from './texts.ts';

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

type Sentence = keyof {
  [Name in keyof Words as Words[Name] extends (limit: number) => string ? Name : never]: 1;
};

/** The sentence about a limit, the one for an unknown price, and the one for a call that needs more than is left. */
type LimitText = {
  readonly reached: Sentence;
  readonly priceUnknown?: Sentence;
  readonly left?: 'tokensLeft' | 'costLeft';
};

/**
 * The limits by the source of the signal that reports them, and by their names in its context. A deadline has none: the
 * message of the signal says it, because a moment has no amount.
 */
const limitsOf: {
  readonly budget: Readonly<Record<LimitKey, LimitText | null>>;
  readonly 'session-budget': Readonly<Record<'maxTokens' | 'maxCost', LimitText>>;
  readonly ledger: Readonly<Record<'maxTotalSteps', LimitText>>;
} = {
  budget: {
    maxSteps: { reached: 'maxSteps' },
    maxTokens: { reached: 'maxTokens', left: 'tokensLeft' },
    maxSeconds: { reached: 'maxSeconds' },
    deadline: null,
    maxCost: { reached: 'maxCost', priceUnknown: 'maxCostOfUnknownPrice', left: 'costLeft' },
  },
  'session-budget': {
    maxTokens: { reached: 'chatTokens', left: 'tokensLeft' },
    maxCost: { reached: 'chatCost', priceUnknown: 'chatCostOfUnknownPrice', left: 'costLeft' },
  },
  ledger: { maxTotalSteps: { reached: 'maxTotalSteps' } },
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
  for (const [key, text] of Object.entries(texts)) {
    const limit = context[key];
    if (text === null || typeof limit !== 'number') continue;
    const { reached, priceUnknown = reached, left } = text;
    if (context['refused'] === true && left !== undefined) return words[left](Number(context['left']), limit);
    return words[isCostUnknown(context) ? priceUnknown : reached](limit);
  }
  return words.stoppedBecause(message);
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
