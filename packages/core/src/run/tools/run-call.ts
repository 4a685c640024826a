import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { ToolOutcome } from '../../graph/message.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import type { ToolExecution } from '../../graph/types.ts';
import type { DelegationInput } from '../../agent/agent-types.ts';
import { type HandedOver, isDelegationTool } from '../../agent/delegation-tool.ts';
import type { Tool } from '../../agent/tool.ts';
import { isToolQuestion } from '../../agent/tool-question.ts';
import { AgentError, hasMarker, isAgentError } from '../../kit/agent-error.ts';
import { equalJson, type JsonValue } from '../../kit/json.ts';
import { nothing } from '../../kit/memoize.ts';
import { toJson } from '../../kit/to-json.ts';
import { isSettled } from '../answer-call.ts';
import type { EffectLog } from '../effect-log.ts';
import { performCall, type Performed } from '../perform-call.ts';
import type { AgentEventBody } from '../events.ts';
import { commit, isLeaseRevoked, type Run, stateOf } from '../run.ts';
import { callOf } from '../state-at.ts';
import { toErrorInfo } from '../run-hooks.ts';
import { callTool, prepareCall, type PreparedCall } from './prepare-call.ts';
import { type CallChanges, createCallChanges, type RecordedChanges, recordedWrites } from './call-changes.ts';
import { type Batch, keyOf, settleCall, settleUnrun, cutResult, cutError, toolNamed } from './batch.ts';
import { handedOver, handOver, resumeSubagent } from './hand-over.ts';
import { runSubagent, delegationOf } from './subagent.ts';
import { callGuarded } from '../../kit/async.ts';

/** Runs one call from its hooks to its settlement. Throws only errors that end the whole step. */
export async function runCall(batch: Batch, id: string): Promise<void> {
  const { run } = batch;
  const call = callOf(stateOf(run), id);
  if (call === null) return;
  if (isFinished(call)) return settleAnswered(batch, call);
  if (call.childState !== null) return resumeSubagent(batch, call);
  if (call.status === 'running' && !isRepeatable(batch, call)) return recall(batch, call);
  const prepared = await notePreparation(batch, prepareCall(batch, call));
  if (prepared === null) return;
  if (isDelegationTool(prepared.tool)) {
    commit(run, { type: 'tool-start', toolCallId: id, key: keyOf(run, id) });
    return runSubagent(batch, call, delegationOf(run, prepared.input as DelegationInput));
  }
  // Created only now, so that the tool sees the changes of earlier hooks.
  const changes = createCallChanges(run, call);
  try {
    await execute(batch, id, prepared, changes);
  } finally {
    changes.close();
  }
}

function notePreparation<Value>(batch: Batch, preparing: Promise<Value>): Promise<Value> {
  batch.prepared = Promise.allSettled([batch.prepared, preparing]);
  return preparing;
}

/** A call whose start is committed, and its tool. */
type Started = { readonly call: ToolExecution; readonly tool: Tool; readonly input: unknown };

/** The outcome of a call that an effect log records. */
type Given = RecordedChanges & { readonly result: JsonValue };

async function execute(
  batch: Batch,
  id: string,
  { tool, input }: PreparedCall,
  changes: CallChanges,
): Promise<void> {
  const { run } = batch;
  const call = callOf(stateOf(run), id);
  if (call === null) return;
  const key = keyOf(run, id);
  let startedAt: number | null = null;
  const durationMs = (): number => (startedAt === null ? 0 : run.env.monotonic() - startedAt);
  let handed: HandedOver | null;
  try {
    if (!(await startCall(batch, { tool, input }, id, key))) return;
    startedAt = run.env.monotonic();
    handed = await handedOver(batch, call, tool, changes);
  } catch (thrown) {
    return endFailed(batch, tool, { id, durationMs, hadStarted: startedAt !== null }, thrown);
  }
  if (handed !== null) return handOver(batch, call, handed);
  await endWith(batch, { call, tool, input }, changes, durationMs);
}

/** Makes a call and ends it with its outcome. */
async function endWith(
  batch: Batch,
  started: Started,
  changes: CallChanges,
  durationMs: () => number | null,
): Promise<void> {
  const { run } = batch;
  const { tool, call, input } = started;
  const { id } = call;
  const at = { id, durationMs, hadStarted: true };
  let late: () => readonly unknown[];
  let unwritten: readonly unknown[];
  const blocked = { ms: 0 };
  try {
    const invoke = (own: AbortSignal): unknown => tool.execute?.(input, changes.context(tool, own));
    const work = (signal: AbortSignal): Promise<JsonValue> =>
      callTool(run, tool, (own) => timeCall(run, blocked, () => invoke(own)), signal);
    const made = run.effects === null ? null : await callThrough(run, run.effects, started, changes, work);
    const outcome = made?.outcome ?? null;
    if (outcome !== null && 'failed' in outcome)
      return endFailed(batch, tool, at, made?.thrown, outcome.failed);
    const known = made?.isNew === false ? (outcome?.value ?? null) : null;
    const result = outcome === null ? await work(run.signal) : outcome.value.result;
    const { writes, errors } = known === null ? changes.settle() : recordedWrites(stateOf(run), known.writes);
    unwritten = errors;
    late = known === null ? changes.applyUpdates : () => commitAll(run, known.events);
    const ended = { durationMs: durationMs(), ...blockedFor(blocked), pluginWrites: writes, error: null };
    commit(run, { type: 'tool-end', toolCallId: id, status: 'completed', result, ...ended });
  } catch (thrown) {
    if (isToolQuestion(thrown) && !run.signal.aborted) {
      const { reason, form } = thrown;
      return void commit(run, { type: 'approval-request', toolCallId: id, reason, form });
    }
    return endFailed(batch, tool, at, thrown);
  }
  const errors = [...unwritten, ...late()];
  for (const error of errors)
    if (!isAgentStopError(error)) commit(run, { type: 'error-record', error: toErrorInfo(run, error) });
  const stop = errors.find(isAgentStopError);
  if (stop !== undefined) stopStep(run, id, stop);
  await settleCall(batch, id);
}

/** Calls the tool through the effect log. @throws the reason of an abort, and the errors of the log */
async function callThrough(
  run: Run,
  log: EffectLog,
  { call, tool }: Started,
  changes: CallChanges,
  work: (signal: AbortSignal) => Promise<JsonValue>,
): Promise<Performed<Given>> {
  const { name, effects } = tool;
  const hasBegun = call.status === 'running';
  const input = callOf(stateOf(run), call.id)?.toolCall.input ?? null;
  let wasCalled = false;
  const described = {
    effect: { key: keyOf(run, call.id), kind: 'tool', name, effects, input, hasBegun },
    describe: (thrown: unknown) =>
      toErrorInfo(run, isAgentStopError(thrown) ? thrown : forModel(tool, thrown)),
    work: (signal: AbortSignal) => ((wasCalled = true), work(signal)),
    outcome: (result: JsonValue): Given => ({ result, ...changes.asData() }),
  } as const;
  try {
    return await performCall(run, log, described);
  } catch (thrown) {
    const isOver =
      isLeaseRevoked(thrown) || isAgentStopError(thrown) || isToolQuestion(thrown) || run.signal.aborted;
    if (isOver || (!wasCalled && !isAgentError(thrown, 'tool-interrupted'))) throw thrown;
    throw new CallLost(interruptedError(name, call.id, true, wasCalled ? thrown : undefined));
  }
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

function commitAll(run: Run, events: readonly AgentEventBody[]): readonly never[] {
  events.forEach((event) => commit(run, event));
  return nothing;
}

const lost = Symbol('vitrine.call-lost');

/** A call has begun, and its outcome is unknown. */
class CallLost extends Error {
  readonly [lost] = true;
  readonly error: AgentError;
  constructor(error: AgentError) {
    super(error.message);
    this.error = error;
  }
}

/** Ends a call that failed. `known` describes the error of the tool itself. */
async function endFailed(
  batch: Batch,
  tool: Tool,
  { id, durationMs, hadStarted = false }: FailedAt,
  thrown: unknown,
  known: ErrorInfo | null = null,
): Promise<void> {
  const { run } = batch;
  if (isLeaseRevoked(thrown)) throw thrown;
  const { status, error } = failureOf(run, tool, { id, hadStarted, known }, thrown);
  commit(run, {
    type: 'tool-end',
    toolCallId: id,
    status,
    error: cutError(run, tool, error),
    durationMs: durationMs(),
    pluginWrites: [],
  });
  if (isAgentStopError(thrown)) stopStep(run, id, thrown);
  return settleCall(batch, id);
}

type FailedAt = {
  readonly id: string;
  readonly durationMs: () => number | null;
  readonly hadStarted?: boolean;
};

function failureOf(
  run: Run,
  tool: Tool,
  { id, hadStarted, known }: { id: string; hadStarted: boolean; known: ErrorInfo | null },
  thrown: unknown,
): { status: 'interrupted' | 'stopped' | 'failed'; error: ErrorInfo } {
  if (run.signal.aborted && thrown === run.signal.reason)
    return { status: 'interrupted', error: toErrorInfo(run, interruptedError(tool.name, id, hadStarted)) };
  if (hasMarker(thrown, lost))
    return { status: 'interrupted', error: toErrorInfo(run, (thrown as CallLost).error) };
  if (isAgentStopError(thrown)) return { status: 'stopped', error: known ?? toErrorInfo(run, thrown) };
  return { status: 'failed', error: known ?? toErrorInfo(run, forModel(tool, thrown)) };
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
      const result =
        tool === undefined || output === null
          ? cutResult(run, tool, given)
          : await callTool(run, tool, () => given);
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
  const tool = toolNamed(tools, toolCall.name);
  // A subagent that is not in the state has done nothing.
  return tool !== undefined && (tool.effects === 'idempotent' || isDelegationTool(tool));
}

/** Ends a call that a reload interrupted with its recorded outcome. Without a record its outcome stays unknown. */
async function recall(batch: Batch, call: ToolExecution): Promise<void> {
  const { run, tools } = batch;
  const tool = toolNamed(tools, call.toolCall.name);
  if (tool === undefined || run.effects === null) return endLost(batch, call);
  const refused = { ...tool, execute: () => Promise.reject(interruptedError(tool.name, call.id, true)) };
  const started = { call, tool: refused, input: call.toolCall.input };
  await endWith(batch, started, createCallChanges(run, call), () => null);
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
    await resumeSubagent(batch, call).catch(ignoreAbort(run));
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
function interruptedError(name: string, id: string, hadStarted: boolean, cause?: unknown): AgentError {
  const message = hadStarted
    ? `Tool ${JSON.stringify(name)} was interrupted while it ran; it may or may not have had its effect.`
    : `Tool ${JSON.stringify(name)} was not run: the step was stopped first.`;
  const data = { toolName: name, toolCallId: id };
  return new AgentError('tool-interrupted', message, cause === undefined ? { data } : { data, cause });
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
  { tool: { effects }, input }: PreparedCall,
  toolCallId: string,
  key: string,
): Promise<boolean> {
  const { run } = batch;
  const { whenStored } = run;
  const call = callOf(stateOf(run), toolCallId);
  const isInsisted = call?.approval?.isInsisted === true;
  commit(run, { type: 'tool-start', toolCallId, key, ...changedInput(call, input) });
  if (effects === 'idempotent' || whenStored === null) return true;
  const guard = { author: 'store', signal: run.signal, timeoutMs: null };
  try {
    await callGuarded(guard, async () => {
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

/** The arguments after the schema, when they are not those that the model gave. */
function changedInput(call: ToolExecution | null, input: unknown): { readonly input?: JsonValue } {
  const given = call?.toolCall.input ?? null;
  if (input === given) return {};
  const got = toJson(input);
  return equalJson(got, given) ? {} : { input: got };
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
