/** The reasons why a run ends, by priority: of several signals the first in this order wins. */
export const stopReasons = [
  'error-forbade',
  'stop-requested',
  'steps-limit-reached',
  'token-limit-reached',
  'time-limit-reached',
  'cost-limit-reached',
  'retry-limit-reached',
  'finish-reason-received',
  'user-requested',
  'completed',
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
