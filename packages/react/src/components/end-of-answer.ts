import { AgentState, type StopReason, type StopSignal } from '@vitrine/core';

/** How the last answer ended. */
export type EndOfAnswer = {
  /** Null while one runs, and for one that is whole. */
  readonly sentence: string | null;
  /** A limit was reached: there may be more to come. */
  readonly isLimit: boolean;
};

const stopped: Partial<Record<StopReason, string>> = {
  'user-requested': 'Stopped by you',
  'stop-requested': 'Stopped',
};

type LimitWords = {
  /** What was given, by its name in the context of the signal. */
  readonly key: string;
  readonly say: (limit: string, context: StopSignal['context']) => string;
};

const limits: Partial<Record<StopReason, LimitWords>> = {
  'steps-limit-reached': {
    key: 'maxSteps',
    say: (limit) =>
      `an answer may take ${limit === '1' ? 'one step' : `${limit} steps`}, and no more are left`,
  },
  'token-limit-reached': {
    key: 'maxTokens',
    say: (limit) => `an answer may take ${limit} tokens, and they are used`,
  },
  'time-limit-reached': {
    key: 'maxSeconds',
    say: (limit) => `an answer may take ${limit} seconds, and they are over`,
  },
  'cost-limit-reached': {
    key: 'maxCost',
    // The limit holds as well where nobody knows what was spent.
    say: (limit, { cost, maxCost }) =>
      Number(cost) < Number(maxCost)
        ? `an answer may cost ${limit}, and what this model costs is not known`
        : `an answer may cost ${limit}, and that is spent`,
  },
};

const whole: EndOfAnswer = { sentence: null, isLimit: false };

/** What there is to say about how the last answer ended. */
export function endOfAnswer(state: AgentState): EndOfAnswer {
  const reason = AgentState.stopReason(state);
  // An answer that was whole before it came to a limit has a signal of that as well.
  const signal = AgentState.stopSignals(state).find((one) => one.reason === reason) ?? null;
  const atLimit = signal === null ? null : limitSentence(signal);
  if (atLimit !== null) return { sentence: atLimit, isLimit: true };
  const sentence = (reason === null ? undefined : stopped[reason]) ?? emptyAnswer(state);
  return sentence === null ? whole : { sentence, isLimit: false };
}

function limitSentence({ reason, context, message }: StopSignal): string | null {
  const words = limits[reason];
  if (words === undefined) return null;
  const limit = context[words.key];
  // A deadline has a moment, and no amount.
  const said = typeof limit === 'number' ? words.say(limit.toLocaleString('en'), context) : message;
  return `Stopped: ${said}.`;
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
  return isEmpty ? 'The model ended without an answer. Ask again, or in other words.' : null;
}
