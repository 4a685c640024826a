/** The reasons why a run ends, by priority: of several signals the first in this order wins. */
export const stopReasons = [
  /** An error that no retry could help ended the run, which is `failed`. */
  'error-forbade',
  /** A guard, a hook or a tool of the application ended the run. */
  'stop-requested',
  /** The run has made `maxSteps` steps. */
  'steps-limit-reached',
  /** The run has used the tokens of its budget, or the next call could exceed them. */
  'token-limit-reached',
  /** The run has worked for `maxSeconds`, or its deadline has passed. */
  'time-limit-reached',
  /** The run has spent `maxCost`, the next call could exceed it, or the price of the model is not known. */
  'cost-limit-reached',
  /** A model call or its structured output failed, and so did the last retry. */
  'retry-limit-reached',
  /** A `finishReasonGuard` has seen the finish reason that it waits for. */
  'finish-reason-received',
  /** The person who chats pressed Stop. */
  'user-requested',
  /** The model has answered and called no tool: the natural end. */
  'completed',
  /** A stored run of another version gives no reason that this version knows. */
  'unknown',
] as const;

/** The reason why a run ends. */
export type StopReason = (typeof stopReasons)[number];

/** The priority of a reason; 0 beats all others. */
export function priority(reason: StopReason): number {
  return stopReasons.indexOf(reason);
}

/** True for a text that is one of the reasons. */
export function isStopReason(value: unknown): value is StopReason {
  return (stopReasons as readonly unknown[]).includes(value);
}

/** False for the two reasons of a natural end, `completed` and `finish-reason-received`. */
export function wasForceStopped(reason: StopReason): boolean {
  return reason !== 'completed' && reason !== 'finish-reason-received';
}
