import { AgentState, type StopReason, type StopSignal } from '@vitrine/core';
import type { ContinuationBranch, ContinuationEvaluation } from '@vitrine/core/types';
import { redactText } from '@vitrine/core/inspect';

type Question = { readonly question: string; readonly answer: string };

/** The question of each branch of `shouldStop` in order of evaluation; null for a branch that asks none. */
const questions: Readonly<Record<ContinuationBranch, Question | null>> = {
  'no-execution': { question: 'Is there no execution?', answer: 'stop' },
  'stop-signals': { question: 'Are there stop signals, and nobody asks to go on?', answer: 'stop' },
  'continuation-requested': { question: 'Does someone ask to go on?', answer: 'go on' },
  'tool-calls-requested': { question: 'Did the step ask for tools?', answer: 'go on' },
  'nothing-left': { question: 'Is nothing left to do?', answer: 'stop' },
  'no-signals': null,
};

/** The branches of `shouldStop` that ask a question, in order of evaluation. */
export const branches: readonly (Question & { readonly id: string })[] = Object.entries(questions).flatMap(
  ([id, question]) => (question === null ? [] : [{ id, ...question }]),
);

/** The stop reasons in words, as they follow "because". */
export const reasonWords: Readonly<Record<Exclude<StopReason, 'completed'>, string>> = {
  'error-forbade': 'of an error',
  'stop-requested': 'a hook or a tool asked for it',
  'steps-limit-reached': 'it reached its limit of steps',
  'token-limit-reached': 'it reached its token limit',
  'time-limit-reached': 'it reached its time limit',
  'cost-limit-reached': 'it reached its cost limit',
  'retry-limit-reached': 'it reached its limit of retries',
  'finish-reason-received': 'of the finish reason of the model',
  'user-requested': 'a person asked for it',
  unknown: 'of an unspecified reason',
};

/**
 * One sentence on why the run stopped or that it has not. The state does not contain whether the run is
 * running, so that is a parameter.
 */
export function verdict(state: AgentState, isRunning: boolean | null = null): string {
  const status = AgentState.status(state);
  const signal = AgentState.stopSignal(state);
  const steps = AgentState.stepCount(state);
  const after = `after ${steps} ${steps === 1 ? 'step' : 'steps'}`;
  if (status === null) return 'It has not run yet.';
  const awaited = awaitedIn(state);
  if (awaited !== null) return `It waits for ${awaited}.`;
  if (status === 'in-progress' && isRunning === false)
    return `It was interrupted ${after}, before its end. It continues when it is resumed.`;
  if (status === 'in-progress')
    return isRunning === true
      ? 'It has not stopped: the run is in progress.'
      : 'It has not stopped: the run is in progress, or was interrupted before its end.';
  if (status === 'pending') return 'It has not started: a transition has prepared an execution.';
  if (signal === null) return `It ended ${after} without a signal.`;
  const message = withoutStop(redactText(signal.message, 'message'));
  const detail = message === '' ? '' : `: ${message}`;
  const source = signal.source === null ? '' : ` (raised by ${signal.source})`;
  if (signal.reason === 'completed') return `It finished ${after}${detail}${source}.`;
  const verb = status === 'completed' ? 'It finished' : status === 'failed' ? 'It failed' : 'It was stopped';
  return `${verb} ${after} because ${whyOf(signal)}${detail}${source}.`;
}

/** Removes the full stop of a message that is used within a sentence. */
function withoutStop(message: string): string {
  let text = message.trimEnd();
  while (text.endsWith('.')) text = text.slice(0, -1).trimEnd();
  return text;
}

function whyOf({ reason, context, source }: StopSignal): string {
  // The limit is not used up, but the next call alone needs more than its rest.
  if (context['refused'] === true) return 'the next model call needs more than is left';
  if (source === 'session-budget') return 'its session reached its budget';
  if (source === 'ledger') return 'it and its subagents reached their limit of steps';
  return reason === 'completed' ? 'it was done' : (reasonWords[reason] ?? `of ${String(reason)}`);
}

/** The answers that the run waits for, as they follow "waits for"; null when it waits for nobody. */
export function awaitedIn(state: AgentState): string | null {
  const waiting = AgentState.pendingApprovals(state);
  const ofCalls = (status: string, what: string): string[] => {
    const count = waiting.filter((call) => call.status === status).length;
    return count === 0 ? [] : [`${what} ${count === 1 ? 'a tool call' : `${count} tool calls`}`];
  };
  const parts = [
    ...ofCalls('awaiting-approval', 'your approval of'),
    ...ofCalls('awaiting-output', 'your answer to'),
  ];
  return parts.length === 0 ? null : parts.join(', and ');
}

/**
 * The branch that decided: the recorded one, otherwise the one that the state of a finished run implies.
 */
export function decidingBranch(
  state: AgentState,
  evaluations: readonly ContinuationEvaluation[],
): ContinuationBranch | null {
  const last = evaluations.findLast((evaluation) => evaluation.branch !== 'no-signals');
  if (last) return last.branch;
  const status = AgentState.status(state);
  if (status === null) return 'no-execution';
  return AgentState.stopReason(state) === 'completed' ? 'nothing-left' : AgentState.continuationBranch(state);
}
