import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolOutcome } from '../../graph/message-part.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import type { DelegationInput } from '../../agent/delegation-input.ts';
import { isDelegationTool } from '../../agent/delegation-tool.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { isSettled } from '../answer-call.ts';
import { commit, LeaseRevoked, type Run, stateOf, workKey } from '../run.ts';
import { callOf, indexOfCall } from '../state-at.ts';
import { toErrorInfo } from '../to-error-info.ts';
import { callTool } from './call-tool.ts';
import { createEffects, type Effects } from './effects.ts';
import { prepareCall } from './prepare-call.ts';
import type { Batch } from './batch.ts';
import { settleCall, settleUnrun } from './settle-call.ts';
import { startCall } from './start-call.ts';
import { runSubagent } from './subagent.ts';

/** One call from its hooks to its settlement. Throws only what ends the whole step. */
export async function runCall(batch: Batch, id: string): Promise<void> {
  const { run } = batch;
  const call = callOf(stateOf(run), id);
  if (call === null) return;
  if (isFinished(call)) return settleAnswered(batch, call);
  if (call.childState !== null) return runSubagent(batch, call, null);
  if (call.status === 'running' && !isRepeatable(batch, call)) return endLost(batch, call);
  const prepared = await inTurn(batch, () => prepareCall(batch, call));
  if (prepared === null) return;
  if (isDelegationTool(prepared.tool)) {
    commit(run, { type: 'tool-start', toolCallId: id, key: keyOf(run, id) });
    return runSubagent(batch, call, prepared.input as DelegationInput);
  }
  // Made only now, so that the tool sees what the hooks before it have changed.
  const effects = createEffects(run, call);
  try {
    await execute(batch, id, prepared, effects);
  } finally {
    effects.close();
  }
}

/** What hooks of earlier calls have changed or closed is seen by those after them. */
function inTurn<Value>(batch: Batch, prepare: () => Promise<Value>): Promise<Value> {
  const mine = batch.turn.then(prepare);
  batch.turn = mine.catch(() => undefined);
  return mine;
}

/** The key of a call names its place, which is the same in an equal run. */
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
    const result = await callTool(run, tool, key, (signal) =>
      tool.execute?.(input, effects.context(tool, signal)),
    );
    const { writes, problems } = effects.settle();
    lost = problems;
    const ended = { durationMs: durationMs(), pluginWrites: writes };
    commit(run, { ...end, status: 'completed', result, error: null, ...ended });
  } catch (thrown) {
    if (thrown instanceof LeaseRevoked) throw thrown;
    const { status, error } = failureOf(run, tool, { id, hadStarted: startedAt !== null }, thrown);
    commit(run, { ...end, status, error, durationMs: durationMs(), pluginWrites: [] });
    if (isAgentStopError(thrown)) stopStep(run, id, thrown);
    return settleCall(run, id);
  }
  const problems = [...lost, ...effects.applyUpdates()];
  for (const problem of problems)
    if (!isAgentStopError(problem)) commit(run, { type: 'error-record', error: toErrorInfo(run, problem) });
  const stop = problems.find(isAgentStopError);
  if (stop !== undefined) stopStep(run, id, stop);
  await settleCall(run, id);
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

/** Ends the step: the calls beside this one are aborted, and this one is settled as it ended, without hooks. */
function stopStep(run: Run, id: string, thrown: unknown): never {
  if (!run.signal.aborted) run.abort(thrown);
  const ended = callOf(stateOf(run), id);
  settleUnrun(run, id, (ended?.status ?? 'stopped') as ToolOutcome, ended?.error ?? null);
  throw thrown;
}

function forModel(tool: Tool, thrown: unknown): unknown {
  if (tool.errorMessage === null) return thrown;
  return new AgentError('tool-failed', tool.errorMessage(thrown), {
    data: { toolName: tool.name },
    cause: thrown,
  });
}

/** A call that has its result already: a person gave it, or a reload came before its hooks were done. */
async function settleAnswered({ run, tools }: Batch, call: ToolExecution): Promise<void> {
  const tool = tools.find(({ name }) => name === call.toolCall.name);
  const isGiven = call.status === 'completed' && call.startedAt === null;
  if (isGiven && tool?.output) {
    try {
      const { output } = tool;
      const result = await callTool(run, tool, keyOf(run, call.id), () => call.result, output);
      commit(run, { type: 'call-change', source: 'user', toolCallId: call.id, result });
    } catch (thrown) {
      if (thrown instanceof LeaseRevoked || thrown === run.signal.reason) throw thrown;
      const error = toErrorInfo(run, thrown);
      commit(run, { type: 'call-change', source: 'user', toolCallId: call.id, status: 'failed', error });
    }
  }
  await settleCall(run, call.id);
}

/** A call that ran when a reload came may have had its effect. */
function isRepeatable({ tools }: Batch, { toolCall }: ToolExecution): boolean {
  return tools.find(({ name }) => name === toolCall.name)?.effects === 'idempotent';
}

async function endLost({ run }: Batch, call: ToolExecution): Promise<void> {
  const error = toErrorInfo(run, interruptedError(call.toolCall.name, call.id, true));
  const ended = { error, durationMs: null, pluginWrites: [] };
  commit(run, { type: 'tool-end', toolCallId: call.id, status: 'interrupted', ...ended });
  await settleCall(run, call.id);
}

/** Ends a call of a step that was cut short: its subagent too, if it has one. */
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

/** A call whose end nobody saw: by an abort, a crash or a reload. Whether it had effects is not known. */
function interruptedError(name: string, id: string, hadStarted: boolean): AgentError {
  const message = hadStarted
    ? `Tool ${JSON.stringify(name)} was interrupted while it ran; it may or may not have had its effect.`
    : `Tool ${JSON.stringify(name)} was not run: the step was stopped first.`;
  return new AgentError('tool-interrupted', message, { data: { toolName: name, toolCallId: id } });
}
