import { AgentState, type StopReason } from '@vitrine/core';
import type { ContinuationBranch, ContinuationEvaluation } from '@vitrine/core/types';
import { redactText } from '@vitrine/core/inspect';

/** The branches of `shouldStop` in the order in which they are asked. */
export const branches: readonly {
  readonly id: ContinuationBranch;
  readonly question: string;
  readonly answer: string;
}[] = [
  { id: 'no-execution', question: 'Is there no execution?', answer: 'stop' },
  { id: 'stop-signals', question: 'Are there stop signals, and nobody asks to go on?', answer: 'stop' },
  { id: 'continuation-requested', question: 'Does someone ask to go on?', answer: 'go on' },
  { id: 'tool-calls-requested', question: 'Did the step ask for tools?', answer: 'go on' },
  { id: 'nothing-left', question: 'Is nothing left to do?', answer: 'stop' },
];

/** The reasons in words for people, as they follow on "because". */
export const reasonWords: Readonly<Record<Exclude<StopReason, 'completed'>, string>> = {
  'error-forbade': 'of an error',
  'stop-requested': 'a hook or a tool asked for it',
  'steps-limit-reached': 'it had taken all the steps that it may',
  'token-limit-reached': 'it had used all the tokens that it may',
  'time-limit-reached': 'its time was up',
  'cost-limit-reached': 'it had spent all the money that it may',
  'retry-limit-reached': 'it had tried again as often as it may',
  'finish-reason-received': 'of the way in which the model ended its answer',
  'user-requested': 'a person asked for it',
  unknown: 'of a reason that nobody has named',
};

/** Why the run stopped, or that it has not, in a sentence; whether somebody goes on with it is not in its state. */
export function verdict(state: AgentState, isRunning: boolean | null = null): string {
  const status = AgentState.status(state);
  const signal = AgentState.stopSignal(state);
  const steps = AgentState.stepCount(state);
  const after = `after ${steps} ${steps === 1 ? 'step' : 'steps'}`;
  if (status === null) return 'It has not run yet.';
  const awaited = awaitedIn(state);
  if (awaited !== null) return `It waits for ${awaited}.`;
  if (status === 'in-progress' && isRunning === false)
    return `It was interrupted ${after}, before its end; nobody goes on with it until it is resumed.`;
  if (status === 'in-progress')
    return isRunning === true
      ? 'It has not stopped: the run is in progress.'
      : 'It has not stopped: the run is in progress, or was interrupted before its end.';
  if (status === 'pending') return 'It has not started: a transition has prepared an execution.';
  if (signal === null) return `It ended ${after} without a signal.`;
  const message = redactText(signal.message, 'message').replace(/[.\s]+$/, '');
  const detail = message === '' ? '' : `: ${message}`;
  const source = signal.source === null ? '' : ` (raised by ${signal.source})`;
  if (signal.reason === 'completed') return `It finished ${after}${detail}${source}.`;
  const verb = status === 'completed' ? 'It finished' : status === 'failed' ? 'It failed' : 'It was stopped';
  return `${verb} ${after} because ${reasonWords[signal.reason] ?? `of ${String(signal.reason)}`}${detail}${source}.`;
}

/** What a person has to say before the run goes on, as it follows on "waits for"; null for nothing. */
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

/** The branch that decided: as it was recorded, else as the state of a finished run still shows it. */
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
