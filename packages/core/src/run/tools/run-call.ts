import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import type { DelegationInput } from '../../agent/delegation-input.ts';
import { isDelegationTool } from '../../agent/delegation-tool.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { commit, LeaseRevoked, type Run, stateOf, workKey } from '../run.ts';
import { callOf } from '../state-at.ts';
import { toErrorInfo } from '../to-error-info.ts';
import { callTool } from './call-tool.ts';
import { createEffects, type Effects } from './effects.ts';
import { prepareCall } from './prepare-call.ts';
import type { Batch } from './batch.ts';
import { settleCall, settleUnrun } from './settle-call.ts';
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
  return workKey(run, String(calls.findIndex((call) => call.id === id)), 1);
}

async function execute(
  { run }: Batch,
  id: string,
  { tool, input }: { tool: Tool; input: unknown },
  effects: Effects,
): Promise<void> {
  const startedAt = run.env.monotonic();
  const key = keyOf(run, id);
  commit(run, { type: 'tool-start', toolCallId: id, key });
  const end = { type: 'tool-end' as const, toolCallId: id };
  const durationMs = (): number => run.env.monotonic() - startedAt;
  try {
    const result = await callTool(run, tool, key, (signal) =>
      tool.execute?.(input, effects.context(tool, signal)),
    );
    const { writes, problems } = effects.settle();
    commit(run, {
      ...end,
      status: 'completed',
      result,
      error: null,
      durationMs: durationMs(),
      pluginWrites: writes,
    });
    for (const problem of [...problems, ...effects.applyUpdates()])
      commit(run, { type: 'error-record', error: toErrorInfo(run, problem) });
  } catch (thrown) {
    if (thrown instanceof LeaseRevoked) throw thrown;
    const isAborted = run.signal.aborted && thrown === run.signal.reason;
    const isStop = isAgentStopError(thrown);
    const status = isAborted ? 'interrupted' : isStop ? 'stopped' : 'failed';
    const error = isAborted
      ? interruptedError(tool.name, id, true)
      : isStop
        ? thrown
        : forModel(tool, thrown);
    const ended = { durationMs: durationMs(), pluginWrites: [] };
    commit(run, { ...end, status, error: toErrorInfo(run, error), ...ended });
    if (isStop && !isAborted) run.abort(thrown);
    if (isStop) {
      settleUnrun(run, id, status, toErrorInfo(run, error));
      throw thrown;
    }
  }
  await settleCall(run, id);
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
    if (ended === null || (isFinished(ended) && ended.settledAt !== null)) return;
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
