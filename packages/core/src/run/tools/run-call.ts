import { inputSchemaOf } from '../../agent/json-schema-of.ts';
import {
  describeIssues,
  namedIssues,
  parse,
  type ParseResult,
  type SchemaIssue,
} from '../../agent/schema.ts';
import type { Tool } from '../../agent/tool.ts';
import { get } from '../../agent/tools.ts';
import { steps } from '../../graph/agent-state/accessors.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { equalJson, isPlainObject, type JsonObject, type JsonValue } from '../../kit/json.ts';
import { readModelJson } from '../../kit/partial-json.ts';
import { toJson } from '../../kit/to-json.ts';
import { toErrorInfo } from '../record-failure.ts';
import { commit, isLeaseRevoked, stateOf, userCode } from '../run.ts';
import type { Batch, Executed, Execution, ReadyCall, Run } from '../slots.ts';
import { callOf } from '../state-at.ts';
import { beginCall, earlierOpened, endStep, takeTurn } from './batch.ts';
import { createCallChanges } from './call-changes.ts';
import { callTool } from './call-tool.ts';
import { endFailed, endUnrun, settleCall, stopStep } from './end-call.ts';

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

/**
 * The arguments of a call as its tool takes them.
 * @throws AgentError `tool-input-invalid` with what the model has to know to give others
 */
async function readArguments(run: Run, tool: Tool, input: JsonValue): Promise<unknown> {
  const schema = tool.input;
  if (schema === null) return input;
  const check = (value: JsonValue): Promise<ParseResult<unknown>> =>
    userCode(run, `input schema of tool ${JSON.stringify(tool.name)}`, () => parse(schema, value));
  const parsed = await check(input);
  if (parsed.ok) return parsed.value;
  const unwrapped = await checkUnwrapped(input, parsed.issues, check);
  if (unwrapped?.ok) return unwrapped.value;
  assertJson(tool, input);
  const missing = missingParameters(inputSchemaOf(tool), input);
  const what = missing.length > 0 ? `Missing required parameters: ${missing.join(', ')}. ` : '';
  const issues = describeIssues(parsed.issues);
  const message = `${what}Invalid input for tool ${JSON.stringify(tool.name)}: ${issues}`;
  throw new AgentError('tool-input-invalid', message, {
    data: { toolName: tool.name, issues: namedIssues(parsed.issues) },
  });
}

/**
 * Tells the model the place at which its arguments are no JSON.
 * @throws AgentError `tool-input-invalid`
 */
function assertJson({ name: toolName }: Tool, input: JsonValue): void {
  const read = typeof input === 'string' ? readModelJson(input) : null;
  if (typeof input !== 'string' || read === null || read.ok) return;
  const { at } = read;
  const place =
    at >= input.length
      ? `they break off after ${input.length} characters`
      : `the error is at character ${at + 1} of ${input.length}, behind ${JSON.stringify(input.slice(Math.max(0, at - 40), at))}`;
  const message = `The arguments for tool ${JSON.stringify(toolName)} are no JSON: ${place}. Give one whole JSON object.`;
  throw new AgentError('tool-input-invalid', message, { data: { toolName, at } });
}

function missingParameters(schema: JsonObject, input: JsonValue): string[] {
  const { required } = schema;
  if (!Array.isArray(required) || typeof input !== 'object' || input === null || Array.isArray(input))
    return [];
  return required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(input, name));
}

/** Calls with the same invalid arguments after which nothing else is to be expected. */
const mostRepeated = 3;

/**
 * Ends a run whose model gives the same invalid arguments again and again.
 * @throws AgentStopError `retry-limit-reached` at the third call in a row.
 */
function endRepetition(batch: Batch, { toolCall: { name, input } }: ToolExecution): void {
  const { run } = batch;
  const past = steps(stateOf(run)).slice(-mostRepeated);
  const isSame = past.every(({ toolExecutions }) =>
    toolExecutions.some(
      ({ toolCall, error }) =>
        error?.code === 'tool-input-invalid' && toolCall.name === name && equalJson(toolCall.input, input),
    ),
  );
  if (past.length < mostRepeated || !isSame) return;
  const message = `The model called ${JSON.stringify(name)} ${mostRepeated} times with the same invalid arguments.`;
  const context = { toolName: name, attempts: mostRepeated };
  const signal = signalOf('retry-limit-reached', { message, context, source: 'retry' }, run.env);
  return endStep(batch, new AgentStopError(signal));
}

/** The most times that values are unwrapped: the whole arguments, lists in them, and values in those. */
const most = 3;

/**
 * Checks arguments whose values a model has encoded twice, such as `{ "queries": "[\"a\"]" }`. Only values that the
 * schema refuses are unwrapped: texts of JSON, and a null for a value that is left out.
 * @returns null when no value can be unwrapped.
 */
async function checkUnwrapped(
  input: JsonValue,
  issues: readonly SchemaIssue[],
  check: (value: JsonValue) => Promise<ParseResult<unknown>>,
): Promise<ParseResult<unknown> | null> {
  let value = input;
  let result: ParseResult<unknown> = { ok: false, issues };
  for (let time = 0; time < most && !result.ok; time++) {
    const next = result.issues.reduce(unwrappedAt, value);
    if (next === value) break;
    value = next;
    result = await check(value);
  }
  return value === input ? null : result;
}

/** The arguments with the value of an issue unwrapped; the same arguments when there is nothing to unwrap. */
function unwrappedAt(value: JsonValue, { path }: SchemaIssue): JsonValue {
  if (typeof value === 'string') return decodeText(value);
  const keys = path === '' ? [] : path.split('.');
  const last = keys.at(-1);
  if (last === undefined) return value;
  const around: JsonValue[] = [value];
  for (const key of keys.slice(0, -1)) around.push(childOf(around.at(-1) ?? null, key) ?? null);
  const inner = around.at(-1) ?? null;
  const child = childOf(inner, last);
  const isLeft = child === null && isPlainObject(inner);
  const next = typeof child === 'string' ? decodeText(child) : child;
  if (!isLeft && next === child) return value;
  return keys.reduceRight<JsonValue | undefined>(
    (changed, key, at) => withChild(around[at] ?? null, key, changed),
    isLeft ? undefined : next,
  ) as JsonValue;
}

/** The value of a text that is JSON of another type; else the text. */
function decodeText(text: string): JsonValue {
  const read = readModelJson(text);
  return read.ok && read.value !== null ? read.value : text;
}

function childOf(value: JsonValue, key: string): JsonValue | undefined {
  const holder = value as { readonly [key: string]: JsonValue };
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? holder[key] : undefined;
}

function withChild(value: JsonValue, key: string, child: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? (child ?? null) : one));
  const entries = Object.entries(value as JsonObject).map(([name, one]) => [
    name,
    name === key ? child : one,
  ]);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined)) as JsonObject;
}
