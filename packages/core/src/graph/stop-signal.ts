import * as errors from '../kit/errors.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type { JsonObject } from '../kit/json.ts';
import { isStopReason, priority, type StopReason, stopReasons } from './stop-reason.ts';

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
