import * as errors from '../kit/definition-error.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type { JsonObject } from '../kit/json.ts';
import { AgentError, hasMarker } from '../kit/agent-error.ts';

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

/** A request to stop; several may be present. */
export type StopSignal = {
  readonly reason: StopReason;
  readonly message: string;
  readonly context: JsonObject;
  /** The guard, hook, tool or budget that raised the signal. */
  readonly source: string | null;
  readonly at: Timestamp;
};

/** Optional fields of a signal. Defaults: no message, no context, no source. */
export type StopSignalInit = { message?: string; context?: JsonObject; source?: string | null };

/** Creates a signal. @throws AgentError `signal-invalid` for an unknown reason. */
export function of(reason: StopReason, init: StopSignalInit = {}, env: Env = systemEnv): StopSignal {
  if (!isStopReason(reason)) {
    throw errors.signalInvalid({ reason: String(reason), known: stopReasons });
  }
  return {
    reason,
    message: init.message ?? '',
    context: init.context ?? {},
    source: init.source ?? null,
    at: env.now(),
  };
}

/** A signal of the person who chats: `user-requested`. */
export function userRequested(init: StopSignalInit = {}, env: Env = systemEnv): StopSignal {
  return of('user-requested', init, env);
}

/** A signal of the application, for guards and hooks: `stop-requested`. */
export function stopRequested(init: StopSignalInit = {}, env: Env = systemEnv): StopSignal {
  return of('stop-requested', init, env);
}

/** A copy of the list, the deciding signal first. */
export function byPriority(signals: readonly StopSignal[]): StopSignal[] {
  return [...signals].sort((a, b) => priority(a.reason) - priority(b.reason));
}

/** The signal that decides: the one of highest priority, and among equals the earliest. */
export function highest<Signal extends { readonly reason: StopReason }>(
  signals: readonly Signal[],
): Signal | null {
  let winner: Signal | null = null;
  for (const signal of signals) {
    if (winner === null || priority(signal.reason) < priority(winner.reason)) winner = signal;
  }
  return winner;
}

const marker = Symbol.for('vitrine.agent-stop-error');

/**
 * An error that ends the run with a stop signal. Throw it in a hook, tool, guard or inference client. The default
 * signal is `stop-requested`. The step in flight is recorded up to that point.
 */
export class AgentStopError extends AgentError {
  readonly signal: StopSignal;

  constructor(signal: StopSignal = stopRequested(), message: string = signal.message) {
    super('agent-stop', message === '' ? signal.reason : message, { data: { reason: signal.reason } });
    this.name = 'AgentStopError';
    this.signal = signal.message === '' ? { ...signal, message: this.message } : signal;
    Object.defineProperty(this, marker, { value: true });
  }
}

export function isAgentStopError(error: unknown): error is AgentStopError {
  return hasMarker(error, marker);
}
