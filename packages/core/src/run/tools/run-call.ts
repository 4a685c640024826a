import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolOutcome } from '../../graph/message.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { isDelegationTool } from '../../agent/delegation-tool.ts';
import type { DelegationInput } from '../../agent/agent-types.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { isSettled } from '../answer-call.ts';
import { commit, isLeaseRevoked, type Run, stateOf, workKey } from '../run.ts';
import { callOf, indexOfCall } from '../state-at.ts';
import { toErrorInfo } from '../run-hooks.ts';
import { callTool, prepareCall } from './prepare-call.ts';
import { createEffects, type Effects } from './effects.ts';
import { type Batch, settleCall, settleUnrun, cutResult, cutError, toolNamed } from './batch.ts';
import { runSubagent } from './subagent.ts';
import { guarded } from '../../kit/async.ts';

/** Runs one call from its hooks to its settlement. Throws only errors that end the whole step. */
export async function runCall(batch: Batch, id: string): Promise<void> {
  const { run } = batch;
  const call = callOf(stateOf(run), id);
  if (call === null) return;
  if (isFinished(call)) return settleAnswered(batch, call);
  if (call.childState !== null) return runSubagent(batch, call, null);
  if (call.status === 'running' && !isRepeatable(batch, call)) return endLost(batch, call);
  const prepared = await notePreparation(batch, prepareCall(batch, call));
  if (prepared === null) return;
  if (isDelegationTool(prepared.tool)) {
    commit(run, { type: 'tool-start', toolCallId: id, key: keyOf(run, id) });
    return runSubagent(batch, call, prepared.input as DelegationInput);
  }
  // Created only now, so that the tool sees the changes of earlier hooks.
  const effects = createEffects(run, call);
  try {
    await execute(batch, id, prepared, effects);
  } finally {
    effects.close();
  }
}

function notePreparation<Value>(batch: Batch, preparing: Promise<Value>): Promise<Value> {
  batch.prepared = Promise.allSettled([batch.prepared, preparing]);
  return preparing;
}

/** The key of a call, which contains its position and is the same in an equal run. */
export function keyOf(run: Run, id: string): string {
  const calls = stateOf(run).execution?.currentStep?.toolExecutions ?? [];
  return workKey(run, String(indexOfCall(calls, id)), 1);
}

async function execute(
  batch: Batch,
  id: string,
  { tool, input }: { tool: Tool; input: unknown },
  effects: Effects,
): Promise<void> {
  const { run } = batch;
  const key = keyOf(run, id);
  const end = { type: 'tool-end' as const, toolCallId: id };
  let startedAt: number | null = null;
  const durationMs = (): number => (startedAt === null ? 0 : run.env.monotonic() - startedAt);
  let lost: readonly unknown[];
  try {
    if (!(await startCall(batch, tool, id, key))) return;
    startedAt = run.env.monotonic();
    const whole = await callTool(run, tool, key, (signal) =>
      tool.execute?.(input, effects.context(tool, signal)),
    );
    const result = cutResult(run, tool, whole);
    const { writes, errors } = effects.settle();
    lost = errors;
    const ended = { durationMs: durationMs(), pluginWrites: writes };
    commit(run, { ...end, status: 'completed', result, error: null, ...ended });
  } catch (thrown) {
    if (isLeaseRevoked(thrown)) throw thrown;
    const { status, error } = failureOf(run, tool, { id, hadStarted: startedAt !== null }, thrown);
    commit(run, {
      ...end,
      status,
      error: cutError(run, tool, error),
      durationMs: durationMs(),
      pluginWrites: [],
    });
    if (isAgentStopError(thrown)) stopStep(run, id, thrown);
    return settleCall(batch, id);
  }
  const errors = [...lost, ...effects.applyUpdates()];
  for (const error of errors)
    if (!isAgentStopError(error)) commit(run, { type: 'error-record', error: toErrorInfo(run, error) });
  const stop = errors.find(isAgentStopError);
  if (stop !== undefined) stopStep(run, id, stop);
  await settleCall(batch, id);
}

function failureOf(
  run: Run,
  tool: Tool,
  { id, hadStarted }: { id: string; hadStarted: boolean },
  thrown: unknown,
): { status: 'interrupted' | 'stopped' | 'failed'; error: ErrorInfo } {
  if (run.signal.aborted && thrown === run.signal.reason)
    return { status: 'interrupted', error: toErrorInfo(run, interruptedError(tool.name, id, hadStarted)) };
  if (isAgentStopError(thrown)) return { status: 'stopped', error: toErrorInfo(run, thrown) };
  return { status: 'failed', error: toErrorInfo(run, forModel(tool, thrown)) };
}

/**
 * Ends the step: the calls beside this one are aborted, and this one is settled as it ended, without hooks.
 */
function stopStep(run: Run, id: string, thrown: unknown): never {
  if (!run.signal.aborted) run.abort(thrown);
  const ended = callOf(stateOf(run), id);
  settleUnrun(run, id, (ended?.status ?? 'stopped') as ToolOutcome, ended?.error ?? null);
  throw thrown;
}

/** The error in the tool's own words, or the original error when the tool has none. */
function forModel(tool: Tool, thrown: unknown): unknown {
  if (tool.errorMessage === null) return thrown;
  try {
    const message: unknown = tool.errorMessage(thrown);
    if (typeof message !== 'string') return thrown;
    return new AgentError('tool-failed', message, { data: { toolName: tool.name }, cause: thrown });
  } catch {
    return thrown;
  }
}

/** Settles a call that already has its result, from a person or from before a reload. */
async function settleAnswered(batch: Batch, call: ToolExecution): Promise<void> {
  const { run, tools } = batch;
  const tool = toolNamed(tools, call.toolCall.name);
  const isGiven = call.status === 'completed' && call.startedAt === null;
  if (isGiven) {
    try {
      const given = call.result ?? null;
      const output = tool?.output ?? null;
      const whole =
        tool === undefined || output === null
          ? given
          : await callTool(run, tool, keyOf(run, call.id), () => given, output);
      const result = cutResult(run, tool, whole);
      if (output !== null || result !== given)
        commit(run, { type: 'call-change', source: 'user', toolCallId: call.id, result });
    } catch (thrown) {
      if (isLeaseRevoked(thrown) || thrown === run.signal.reason) throw thrown;
      const error = toErrorInfo(run, thrown);
      commit(run, { type: 'call-change', source: 'user', toolCallId: call.id, status: 'failed', error });
    }
  }
  await settleCall(batch, call.id);
}

/** True for a call that may run again although a reload interrupted it. */
function isRepeatable({ tools }: Batch, { toolCall }: ToolExecution): boolean {
  return tools.find(({ name }) => name === toolCall.name)?.effects === 'idempotent';
}

async function endLost(batch: Batch, call: ToolExecution): Promise<void> {
  const { run } = batch;
  const error = toErrorInfo(run, interruptedError(call.toolCall.name, call.id, true));
  const ended = { error, durationMs: null, pluginWrites: [] };
  commit(run, { type: 'tool-end', toolCallId: call.id, status: 'interrupted', ...ended });
  await settleCall(batch, call.id);
}

/** Ends a call of a step that was cut short, and its subagent. */
export async function endCall(batch: Batch, call: ToolExecution): Promise<void> {
  const { run } = batch;
  if (isFinished(call)) return settleUnrun(run, call.id, call.status as 'completed', call.error);
  if (call.childState !== null) {
    await runSubagent(batch, call, null).catch(ignoreAbort(run));
    const ended = callOf(stateOf(run), call.id);
    if (ended === null || isSettled(ended)) return;
  }
  const error = interruptedError(call.toolCall.name, call.id, call.startedAt !== null);
  settleUnrun(run, call.id, 'interrupted', toErrorInfo(run, error));
}

function ignoreAbort(run: Run): (thrown: unknown) => void {
  return (thrown) => {
    if (thrown !== run.signal.reason) throw thrown;
  };
}

/**
 * The error of a call interrupted by an abort, a crash or a reload. It is unknown whether the call had
 * effects.
 */
function interruptedError(name: string, id: string, hadStarted: boolean): AgentError {
  const message = hadStarted
    ? `Tool ${JSON.stringify(name)} was interrupted while it ran; it may or may not have had its effect.`
    : `Tool ${JSON.stringify(name)} was not run: the step was stopped first.`;
  return new AgentError('tool-interrupted', message, { data: { toolName: name, toolCallId: id } });
}

/**
 * Commits the start of a call. A call of a `once` tool waits until that start is stored. When storage is
 * full or unavailable, the person decides whether it runs. When another writer owns the session, nobody is
 * asked, because that writer may have run the call.
 * @returns false when the call does not run now.
 * @throws the run's reason to end.
 */
export async function startCall(
  batch: Batch,
  { effects }: Tool,
  toolCallId: string,
  key: string,
): Promise<boolean> {
  const { run } = batch;
  const { whenStored } = run;
  const isInsisted = callOf(stateOf(run), toolCallId)?.approval?.cause === 'not-stored';
  commit(run, { type: 'tool-start', toolCallId, key });
  if (effects === 'idempotent' || whenStored === null) return true;
  const guard = { author: 'store', signal: run.signal, timeoutMs: null };
  try {
    await guarded(guard, async () => {
      await othersReady(batch);
      await whenStored();
    });
    return true;
  } catch (thrown) {
    run.signal.throwIfAborted();
    if (isAgentError(thrown, 'session-conflict')) throw thrown;
    if (isInsisted) return true;
    const reason = `The start of this call could not be stored, so it might run twice after a reload: ${toErrorInfo(run, thrown).message}`;
    commit(run, { type: 'approval-request', toolCallId, cause: 'not-stored', reason });
    return false;
  }
}

/**
 * Waits for other calls that become ready in the same tick, which share one write. A slow hook delays only
 * its own call.
 */
function othersReady({ run, prepared }: Batch): Promise<void> {
  return new Promise((resolve) => {
    const cancel = run.env.schedule(0, resolve);
    void prepared.then(() => {
      cancel();
      resolve();
    });
  });
}
