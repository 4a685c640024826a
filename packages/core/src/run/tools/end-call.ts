import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolOutcome } from '../../graph/message.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError, hasMarker } from '../../kit/agent-error.ts';
import { isSettled } from '../answer-call.ts';
import { commit, isLeaseRevoked, stateOf } from '../run.ts';
import { toErrorInfo } from '../record-failure.ts';
import { callOf, indexOfCall } from '../state-at.ts';
import { cutError, takeTurn } from './batch.ts';
import type { Run, Batch } from '../slots.ts';

/** A call that fails, and what is known of it. */
export type FailedAt = {
  readonly id: string;
  readonly durationMs: () => number | null;
  readonly hadStarted: boolean;
};

/**
 * Ends a call that failed. `known` describes the error of the tool itself.
 * @throws the error that ends the whole step
 */
export async function endFailed(
  batch: Batch,
  tool: Tool,
  at: FailedAt,
  thrown: unknown,
  known: ErrorInfo | null = null,
): Promise<void> {
  const { run } = batch;
  const { id: toolCallId, durationMs } = at;
  if (isLeaseRevoked(thrown)) throw thrown;
  const { status, error } = failureOf(batch, tool, { ...at, known }, thrown);
  commit(run, {
    type: 'tool-end',
    toolCallId,
    status,
    error: cutError(run, tool, error),
    durationMs: durationMs(),
    pluginWrites: [],
  });
  if (isAgentStopError(thrown)) stopStep(run, toolCallId, thrown);
  return settleCall(batch, toolCallId);
}

function failureOf(
  { run }: Batch,
  tool: Tool,
  { id, hadStarted, known }: FailedAt & { readonly known: ErrorInfo | null },
  thrown: unknown,
): { status: 'interrupted' | 'stopped' | 'failed'; error: ErrorInfo } {
  const interruption = (): AgentError => interruptedError({ id, toolCall: tool }, hadStarted);
  if (run.signal.aborted && thrown === run.signal.reason)
    return { status: 'interrupted', error: toErrorInfo(run, interruption()) };
  if (hasMarker(thrown, lost))
    return { status: 'interrupted', error: toErrorInfo(run, (thrown as CallLost).error) };
  if (isAgentStopError(thrown)) return { status: 'stopped', error: known ?? toErrorInfo(run, thrown) };
  return { status: 'failed', error: known ?? toErrorInfo(run, errorForModel(tool, thrown)) };
}

const lost = Symbol('vitrine.call-lost');

/** A call has begun, and its outcome is unknown. */
export class CallLost extends Error {
  readonly [lost] = true;
  readonly error: AgentError;
  constructor(error: AgentError) {
    super(error.message);
    this.error = error;
  }
}

/** Ends a call of a step that was cut short, and its subagent. */
export async function endCall(batch: Batch, call: ToolExecution): Promise<void> {
  const { run } = batch;
  if (isFinished(call)) return settleUnrun(run, call.id, call.status as 'completed', call.error);
  if (call.childState !== null) {
    await run.slots.resume(batch, call)?.catch((thrown: unknown) => {
      if (thrown !== run.signal.reason) throw thrown;
    });
    const ended = callOf(stateOf(run), call.id);
    if (ended === null || isSettled(ended)) return;
  }
  const error = interruptedError(call, call.startedAt !== null);
  settleUnrun(run, call.id, 'interrupted', toErrorInfo(run, error));
}

/** The error of a call interrupted by an abort, a crash or a reload. It is unknown whether the call had effects. */
export function interruptedError(
  { id, toolCall: { name } }: { readonly id: string; readonly toolCall: { readonly name: string } },
  hadStarted: boolean,
  cause?: unknown,
): AgentError {
  const message = hadStarted
    ? `Tool ${JSON.stringify(name)} was interrupted while it ran; it may or may not have had its effect.`
    : `Tool ${JSON.stringify(name)} was not run: the step was stopped first.`;
  const data = { toolName: name, toolCallId: id };
  return new AgentError('tool-interrupted', message, cause === undefined ? { data } : { data, cause });
}

/** The error in the tool's own words, or the original error when the tool has none. */
export function errorForModel(tool: Tool, thrown: unknown): unknown {
  if (tool.errorMessage === null) return thrown;
  try {
    const message: unknown = tool.errorMessage(thrown);
    if (typeof message !== 'string') return thrown;
    return new AgentError('tool-failed', message, { data: { toolName: tool.name }, cause: thrown });
  } catch {
    return thrown;
  }
}

/**
 * Ends the step: the calls beside this one are aborted, and this one is settled as it ended, unseen by features.
 * @throws the given error
 */
export function stopStep(run: Run, id: string, thrown: unknown): never {
  if (!run.signal.aborted) run.abort(thrown);
  const ended = callOf(stateOf(run), id);
  settleUnrun(run, id, (ended?.status ?? 'stopped') as ToolOutcome, ended?.error ?? null);
  throw thrown;
}

/** Ends a call that a reload interrupted and of which no record exists. */
export async function endLost(batch: Batch, call: ToolExecution): Promise<void> {
  const { run } = batch;
  const error = toErrorInfo(run, interruptedError(call, true));
  const ended = { error, durationMs: null, pluginWrites: [] };
  commit(run, { type: 'tool-end', toolCallId: call.id, status: 'interrupted', ...ended });
  await settleCall(batch, call.id);
}

/** Ends a call that never reached its tool. @returns false, the answer of a gate */
export function endUnrun(
  run: Run,
  { id }: ToolExecution,
  outcome: 'failed' | 'blocked' | 'rejected' | 'interrupted',
  thrown: unknown,
  author?: string,
): false {
  settleUnrun(run, id, outcome, toErrorInfo(run, thrown), author);
  return false;
}

/** Settles a call that features do not see: it did not run, or its step was cut short. */
export function settleUnrun(
  run: Run,
  toolCallId: string,
  outcome: ToolOutcome,
  error: ErrorInfo | null,
  author?: string,
): void {
  const hook = author === undefined ? {} : { hook: author };
  commit(run, { type: 'call-settle', toolCallId, outcome, error, ...hook });
}

/** Shows features a call that has ended, behind the earlier ones in flight, and settles it. */
export async function settleCall(batch: Batch, id: string): Promise<void> {
  const { run } = batch;
  const execution = callOf(stateOf(run), id);
  if (execution === null) return;
  try {
    if (!run.slots.seesEnds) return;
    await earlierSettled(batch, id);
    await takeTurn(batch, () => run.slots.settle(batch, execution));
  } finally {
    const ended = callOf(stateOf(run), id) ?? execution;
    settleUnrun(run, id, ended.status as ToolOutcome, ended.error);
  }
}

/** Resolves when no earlier call is in flight, apart from those that wait for a person. */
async function earlierSettled(batch: Batch, id: string): Promise<void> {
  const { run, inFlight, idle, ended } = batch;
  const calls = stateOf(run).execution?.currentStep?.toolExecutions ?? [];
  const earlier = calls.slice(0, indexOfCall(calls, id));
  const isBehind = (): boolean => earlier.some((call) => inFlight.has(call.id) && !idle.has(call.id));
  if (!isBehind()) return;
  ended.add(id);
  batch.wake();
  while (!run.signal.aborted && isBehind()) await batch.changed;
  ended.delete(id);
}
