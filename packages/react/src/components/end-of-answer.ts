import { AgentState, type StopReason, type StopSignal } from '@vitrine/core';

/** The end of the last answer as a sentence. */
export type EndOfAnswer = {
  /** Null while an answer runs, and for a complete one. */
  readonly sentence: string | null;
  /** True if a limit was reached, so there may be more to come. */
  readonly isLimit: boolean;
};

const stopped: Partial<Record<StopReason, string>> = {
  'user-requested': 'Stopped by you',
  'stop-requested': 'Stopped',
};

type LimitText = {
  /** The name of the limit in the signal's context. */
  readonly key: string;
  readonly say: (limit: string, context: StopSignal['context']) => string;
};

const limits: Partial<Record<StopReason, LimitText>> = {
  'steps-limit-reached': {
    key: 'maxSteps',
    say: (limit) => `this answer reached its limit of ${limit === '1' ? 'one step' : `${limit} steps`}`,
  },
  'token-limit-reached': {
    key: 'maxTokens',
    say: (limit) => `this answer reached its limit of ${limit} tokens`,
  },
  'time-limit-reached': {
    key: 'maxSeconds',
    say: (limit) => `this answer reached its limit of ${limit} seconds`,
  },
  'cost-limit-reached': {
    key: 'maxCost',
    // The limit also applies when the cost so far is unknown.
    say: (limit, { cost, maxCost }) =>
      Number(cost) < Number(maxCost)
        ? `this answer has a cost limit of ${limit}, and the price of this model is unknown`
        : `this answer reached its cost limit of ${limit}`,
  },
};

/** Limits of a whole session. */
const sessionLimits: Partial<Record<StopReason, LimitText>> = {
  'token-limit-reached': {
    key: 'maxTokens',
    say: (limit) => `this chat reached its limit of ${limit} tokens`,
  },
  'cost-limit-reached': {
    key: 'maxCost',
    say: (limit, { cost, maxCost }) =>
      Number(cost) < Number(maxCost)
        ? `this chat has a cost limit of ${limit}, and the price of this model is unknown`
        : `this chat reached its cost limit of ${limit}`,
  },
};

const treeLimit: LimitText = {
  key: 'maxTotalSteps',
  say: (limit) =>
    `this answer and its subagents reached their limit of ${limit === '1' ? 'one step' : `${limit} steps`}`,
};

const whole: EndOfAnswer = { sentence: null, isLimit: false };

/** Describes how the last answer ended. */
export function endOfAnswer(state: AgentState): EndOfAnswer {
  const reason = AgentState.stopReason(state);
  // A complete answer that also reached a limit has a signal too, so the reason decides.
  const signal = AgentState.stopSignals(state).find((one) => one.reason === reason) ?? null;
  const atLimit = signal === null ? null : limitSentence(signal);
  // To go on is pointless when the budget of the whole session is used up.
  if (atLimit !== null) return { sentence: atLimit, isLimit: signal?.source !== 'session-budget' };
  const sentence = (reason === null ? undefined : stopped[reason]) ?? emptyAnswer(state);
  return sentence === null ? whole : { sentence, isLimit: false };
}

function limitSentence(signal: StopSignal): string | null {
  const { context, message } = signal;
  const text = textOf(signal);
  if (text === undefined) return null;
  const limit = context[text.key];
  if (context['refused'] === true) {
    const [left, all] = [context['left'], limit].map((amount) => Number(amount).toLocaleString('en'));
    return text.key === 'maxTokens'
      ? `Stopped: the next step needs more than the ${left} tokens left of ${all}.`
      : `Stopped: the next step may cost more than the ${left} left of ${all}.`;
  }
  // A deadline is a moment and has no amount.
  const said = typeof limit === 'number' ? text.say(limit.toLocaleString('en'), context) : message;
  return `Stopped: ${said}.`;
}

function textOf({ reason, source }: StopSignal): LimitText | undefined {
  if (source === 'session-budget') return sessionLimits[reason];
  return source === 'ledger' && reason === 'steps-limit-reached' ? treeLimit : limits[reason];
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
