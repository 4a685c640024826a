import { isToolQuestion } from '../agent/tool-question.ts';
import { AgentStopError, isAgentStopError } from '../graph/agent-stop-error.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { StopSignal } from '../graph/stop-signal.ts';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import type { Effect, EffectLog } from './effect-log.ts';
import { isLeaseRevoked } from './run.ts';
import type { AnswerSource, Run } from './slots.ts';

export type Failure = { readonly failed: ErrorInfo; readonly stop: StopSignal | null };

export type Outcome<Value> = { readonly value: Value } | Failure;

/** An outcome, and the error itself when the call failed in this run. */
export type Performed<Value> = {
  readonly outcome: Outcome<Value>;
  /** False for a recorded outcome. */
  readonly isNew: boolean;
  readonly thrown: unknown;
};

/** The fields of an effect that the run does not know. */
export type EffectOf = Omit<Effect, 'executionId' | 'path'>;

function effectOf({ lease, path }: Run, effect: EffectOf): Effect {
  return { executionId: lease.state().execution?.executionId ?? '', path, ...effect };
}

export type PlannedCall<Result, Value> = {
  readonly effect: EffectOf;
  readonly work: (signal: AbortSignal) => Promise<Result>;
  /** The outcome of a result, which the log records. */
  readonly outcome: (result: Result) => Value;
  /** Describes the error of a failed call. */
  readonly describe: (thrown: unknown) => ErrorInfo;
};

/**
 * Makes a call through the effect log.
 * @throws the reason of an abort, and the errors of the log
 */
export async function performCall<Result, Value>(
  run: Run,
  log: EffectLog,
  { effect, work, outcome: outcomeOf, describe }: PlannedCall<Result, Value>,
  signal: AbortSignal = run.signal,
): Promise<Performed<Value>> {
  let isNew = false;
  let caught: unknown;
  async function attempt(given: AbortSignal): Promise<Outcome<Value>> {
    isNew = true;
    try {
      return { value: outcomeOf(await work(given)) };
    } catch (thrown) {
      if (given.aborted || isLeaseRevoked(thrown) || isToolQuestion(thrown)) throw thrown;
      caught = thrown;
      return failureOf(thrown, describe);
    }
  }
  const guard = { author: 'the effect log', signal, timeoutMs: null };
  const outcome = await callGuarded(guard, () => log.perform(effectOf(run, effect), attempt, signal));
  return { outcome, isNew, thrown: 'failed' in outcome ? (isNew ? caught : thrownOf(outcome)) : null };
}

/** Calls a model through the log. `answer` must end with the answer; its error becomes the last recorded event. */
export function recordAnswer(
  run: Run,
  log: EffectLog,
  call: {
    readonly effect: EffectOf;
    readonly answer: (signal: AbortSignal) => AsyncIterable<unknown>;
    /** Called before the model is. */
    readonly before: () => Promise<void>;
    readonly describe: (thrown: unknown) => ErrorInfo;
  },
): Omit<AnswerSource, 'isReadOn'> {
  const { effect, answer, before, describe } = call;
  let isNew = false;
  let caught: { readonly thrown: unknown } | null = null;
  async function* work(signal: AbortSignal): AsyncGenerator<unknown> {
    await before();
    isNew = true;
    try {
      yield* answer(signal);
    } catch (thrown) {
      if (signal.aborted || isLeaseRevoked(thrown)) throw thrown;
      caught = { thrown };
      yield failureOf(thrown, describe);
    }
  }
  return {
    events: () => log.stream(effectOf(run, effect), work, run.signal),
    isNew: () => isNew,
    thrownBy: (event) => (isFailure(event) ? (caught ?? { thrown: thrownOf(event) }) : null),
  };
}

function failureOf(thrown: unknown, describe: (thrown: unknown) => ErrorInfo): Failure {
  return { failed: describe(thrown), stop: isAgentStopError(thrown) ? thrown.signal : null };
}

function isFailure(event: unknown): event is Failure {
  return typeof event === 'object' && event !== null && 'failed' in event;
}

function thrownOf({ failed, stop }: Failure): AgentError {
  if (stop !== null) return new AgentStopError(stop, failed.message);
  const { code, message, data, name, cause } = failed;
  const error = new AgentError(code as AgentErrorCode, message, cause === null ? { data } : { data, cause });
  error.name = name;
  return error;
}
