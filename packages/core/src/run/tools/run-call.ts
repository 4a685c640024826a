import { get } from '../../agent/tools.ts';
import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import { equalJson, type JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';
import { commit, isLeaseRevoked, stateOf } from '../run.ts';
import { toErrorInfo } from '../record-failure.ts';
import { callOf } from '../state-at.ts';
import { beginCall, earlierOpened, endStep, takeTurn } from './batch.ts';
import { createCallChanges } from './call-changes.ts';
import { callTool } from './call-tool.ts';
import { readArguments, endRepetition } from './check-input.ts';
import { endFailed, endUnrun, settleCall, stopStep } from './end-call.ts';
import type { Executed, Execution, ReadyCall, Run, Batch } from '../slots.ts';

/** Runs one call from its arguments to its settlement. Throws only errors that end the whole step. */
export async function runCall(batch: Batch, id: string): Promise<void> {
  const { run } = batch;
  const call = callOf(stateOf(run), id);
  if (call === null) return;
  const resumed = run.slots.resume(batch, call);
  if (resumed !== null) return resumed;
  batch.opening.add(id);
  const ready = await prepareCall(batch, call);
  if (ready === null || batch.fatal !== null || !(await run.slots.delegate(ready))) return;
  await executeCall(ready);
}

/** Brings a call to its tool. @returns null when the call has ended already, or waits. */
async function prepareCall(batch: Batch, given: ToolExecution): Promise<ReadyCall | null> {
  const { run } = batch;
  const isLetIn = await takeTurn(batch, async () => {
    await earlierOpened(batch, given.id);
    return run.slots.validate(batch, given);
  });
  if (!isLetIn) return null;
  const call = callOf(stateOf(run), given.id) ?? given;
  try {
    const tool = get(batch.tools, call.toolCall.name);
    const ready = { batch, call, tool, input: await readArguments(run, tool, call.toolCall.input) };
    return (await run.slots.approve(ready)) ? ready : null;
  } catch (thrown) {
    if (isLeaseRevoked(thrown) || isAgentStopError(thrown)) return endStep(batch, thrown);
    endUnrun(run, call, 'failed', thrown);
    if (isAgentError(thrown, 'tool-input-invalid')) endRepetition(batch, call);
    return null;
  }
}

async function executeCall(ready: ReadyCall): Promise<void> {
  const { batch, tool } = ready;
  const { run } = batch;
  const { id } = ready.call;
  const call = callOf(stateOf(run), id);
  if (call === null || batch.fatal !== null) return;
  // Created only now, so that the tool sees the changes of earlier hooks.
  const changes = createCallChanges(run, call);
  let startedAt: number | null = null;
  const durationMs = (): number => (startedAt === null ? 0 : run.env.monotonic() - startedAt);
  try {
    await beginCall(batch, id, changedInput(call, ready.input));
    if (!(await run.slots.persist(ready))) return;
    startedAt = run.env.monotonic();
    await endWith(
      { ...ready, call, changes, signal: run.signal, isLost: false, blocked: { ms: 0 } },
      durationMs,
    );
  } catch (thrown) {
    if (startedAt !== null) throw thrown;
    await endFailed(batch, tool, { id, durationMs, hadStarted: false }, thrown);
  } finally {
    changes.close();
  }
}

/** Runs the tool of a started call, and ends the call with its outcome. */
export async function endWith(execution: Execution, durationMs: () => number | null): Promise<void> {
  const { batch, call, tool, blocked } = execution;
  const { run } = batch;
  const { id: toolCallId } = call;
  const at = { id: toolCallId, durationMs, hadStarted: true };
  let executed: Executed;
  let unwritten: readonly unknown[] = [];
  try {
    executed = await run.slots.execute(execution);
    if ('known' in executed) return endFailed(batch, tool, at, executed.thrown, executed.known);
    if ('result' in executed) {
      const { result } = executed;
      const { writes: pluginWrites, errors } = executed.writes();
      unwritten = errors;
      const ended = { durationMs: durationMs(), ...blockedFor(blocked), pluginWrites, error: null };
      commit(run, { type: 'tool-end', toolCallId, status: 'completed', result, ...ended });
    }
  } catch (thrown) {
    return endFailed(batch, tool, at, thrown);
  }
  if ('goOn' in executed) return executed.goOn();
  const errors = [...unwritten, ...executed.commitChanges()];
  for (const error of errors)
    if (!isAgentStopError(error)) commit(run, { type: 'error-record', error: toErrorInfo(run, error) });
  const stop = errors.find(isAgentStopError);
  if (stop !== undefined) stopStep(run, toolCallId, stop);
  await settleCall(batch, toolCallId);
}

/** Calls the tool itself: the core of the layers around a call. */
export async function executeTool(execution: Execution): Promise<Executed> {
  const { batch, tool, input, changes, signal, blocked } = execution;
  const { run } = batch;
  const invoke = (own: AbortSignal): unknown => tool.execute?.(input, changes.context(tool, own));
  const result = await callTool(run, tool, (own) => timeCall(run, blocked, () => invoke(own)), signal);
  return { result, writes: changes.settle, commitChanges: changes.applyUpdates };
}

/** Calls a tool and notes how long it ran before it first waited. */
function timeCall<Value>({ env }: Run, blocked: { ms: number }, call: () => Value): Value {
  const startedAt = env.monotonic();
  try {
    return call();
  } finally {
    blocked.ms = Math.round(env.monotonic() - startedAt);
  }
}

/** A task from this on is a long one: a page cannot answer a person meanwhile. */
const longTaskMs = 50;

function blockedFor({ ms }: { readonly ms: number }): { readonly blockedMs?: number } {
  return ms < longTaskMs ? {} : { blockedMs: ms };
}

/** The arguments after the schema, when they are not those that the model gave. */
export function changedInput({ toolCall }: ToolExecution, input: unknown): { readonly input?: JsonValue } {
  if (input === toolCall.input) return {};
  const got = toJson(input);
  return equalJson(got, toolCall.input) ? {} : { input: got };
}
