import { checkDecision, type CheckedDecision } from '../../agent/approval-decision.ts';
import { describeIssues, namedIssues, parse, type ParseResult, type Schema } from '../../agent/schema.ts';
import { inputSchemaOf } from '../../agent/json-schema-of.ts';
import { get } from '../../agent/tools.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { steps } from '../../graph/agent-state/accessors.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import { rememberedDecision } from '../../graph/agent-state/remembered.ts';
import type { ToolExecution } from '../../graph/types.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { isDevelopment } from '../../kit/freeze.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../kit/json.ts';
import { readModelJson } from '../../kit/partial-json.ts';
import { toJson } from '../../kit/to-json.ts';
import { commit, isLeaseRevoked, type Run, stateOf, userCode } from '../run.ts';
import { runHooks, toErrorInfo } from '../run-hooks.ts';
import { callOf } from '../state-at.ts';
import { cutResult, inTurn, toolNamed, type Batch, settleUnrun } from './batch.ts';
import { createCallChanges } from './call-changes.ts';
import { checkUnwrapped } from './unwrap-input.ts';
import { linkSignals } from '../../kit/async.ts';

declare const process: { env: { NODE_ENV?: string } };

export type PreparedCall = { readonly tool: Tool; readonly input: unknown };

/**
 * Runs everything that precedes a call: hooks, look-up, validation and approval.
 * @returns null when the call has ended already, or waits for a person.
 */
export async function prepareCall(batch: Batch, call: ToolExecution): Promise<PreparedCall | null> {
  const { run } = batch;
  const { approval } = call;
  if (!(await inTurn(batch, () => isLetOn(batch, call)))) return null;
  const isApproved = approval?.decision === 'approved';
  const current = callOf(stateOf(run), call.id) ?? call;
  try {
    const tool = get(batch.tools, current.toolCall.name);
    const input = await validInput(run, tool, current.toolCall.input);
    if (isApproved && !approval.isEdited) return allow(run, current, { tool, input });
    const decision = await decide(run, call, tool, input);
    return isApproved
      ? afterEdit(run, current, decision, { tool, input })
      : ask(run, current, decision, { tool, input });
  } catch (thrown) {
    if (isLeaseRevoked(thrown) || isAgentStopError(thrown)) throw thrown;
    end(run, current, 'failed', thrown);
    if (isAgentError(thrown) && thrown.code === 'tool-input-invalid') endRepetition(run, current);
    return null;
  }
}

/** Calls with the same invalid arguments after which nothing else is to be expected. */
const mostRepeated = 3;

/**
 * Ends a run whose model gives the same invalid arguments again and again.
 * @throws AgentStopError `retry-limit-reached` at the third call in a row.
 */
function endRepetition(run: Run, { toolCall: { name, input } }: ToolExecution): void {
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
  throw new AgentStopError(signalOf('retry-limit-reached', { message, context, source: 'retry' }, run.env));
}

/** Decides whether the call may reach its tool. @returns false when the call has ended before. */
async function isLetOn(batch: Batch, call: ToolExecution): Promise<boolean> {
  const { run } = batch;
  const { approval } = call;
  if (approval?.decision === 'rejected') return reject(run, call, approval.comment) !== null;
  if (batch.isClosed) return end(run, call, 'interrupted', notRun(call)) !== null;
  // A call approved unchanged has passed the hooks already. Edited arguments pass them again.
  return (approval?.decision === 'approved' && !approval.isEdited) || passesHooks(batch, call);
}

/** Runs the hooks before the call. @returns false when a hook ended it. */
async function passesHooks(batch: Batch, call: ToolExecution): Promise<boolean> {
  const { run } = batch;
  const { id } = call;
  const given = { toolCall: call.toolCall };
  const { toolCall, blocked, execution, author, authors } = await runHooks(run, 'before-tool-use', given);
  if (toolCall !== undefined && toolCall !== call.toolCall) {
    const { name: toolName, input } = toolCall;
    commit(run, { type: 'call-change', source: author, toolCallId: id, toolName, input: toJson(input) });
  }
  if (execution !== undefined) {
    const tool = toolNamed(batch.tools, (toolCall ?? call.toolCall).name);
    const result = 'result' in execution ? { result: cutResult(run, tool, toJson(execution.result)) } : {};
    const status = execution.status as 'completed';
    commit(run, {
      type: 'call-change',
      source: author,
      toolCallId: id,
      status,
      error: execution.error,
      ...result,
    });
    settleUnrun(run, id, status, execution.error);
    return false;
  }
  if (blocked === undefined) return true;
  batch.isClosed ||= blocked.stopBatch === true;
  const { name } = toolCall ?? call.toolCall;
  const message = `Tool ${JSON.stringify(name)} was blocked: ${blocked.reason}`;
  const data = { toolName: name, reason: blocked.reason };
  end(run, call, 'blocked', new AgentError('tool-blocked', message, { data }), authors.blocked);
  return false;
}

async function validInput(run: Run, tool: Tool, input: JsonValue): Promise<unknown> {
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
  throw new AgentError(
    'tool-input-invalid',
    `${what}Invalid input for tool ${JSON.stringify(tool.name)}: ${issues}`,
    { data: { toolName: tool.name, issues: namedIssues(parsed.issues) } },
  );
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
  throw new AgentError(
    'tool-input-invalid',
    `The arguments for tool ${JSON.stringify(toolName)} are no JSON: ${place}. Give one whole JSON object.`,
    { data: { toolName, at } },
  );
}

function missingParameters(schema: JsonObject, input: JsonValue): string[] {
  const { required } = schema;
  if (!Array.isArray(required) || typeof input !== 'object' || input === null || Array.isArray(input))
    return [];
  return required.filter((name): name is string => typeof name === 'string' && !Object.hasOwn(input, name));
}

/** Asks the tool's own rule. A rule that throws fails closed: the person is asked. */
async function decide(run: Run, call: ToolExecution, tool: Tool, input: unknown): Promise<CheckedDecision> {
  const author = `needsApproval of tool ${JSON.stringify(tool.name)}`;
  const changes = createCallChanges(run, call);
  try {
    const decision = await userCode(run, author, () =>
      tool.needsApproval(input, changes.context(tool, run.signal)),
    );
    return checkDecision(decision, tool.name);
  } catch (thrown) {
    if (isAgentStopError(thrown)) throw thrown;
    const { message } = toErrorInfo(run, thrown);
    return { kind: 'ask', reason: `Its approval rule failed: ${message}` };
  } finally {
    changes.close();
  }
}

/** Checks the rule for edited arguments that a person approved: only a rejection counts. */
function afterEdit(
  run: Run,
  call: ToolExecution,
  decision: CheckedDecision,
  prepared: PreparedCall,
): PreparedCall | null {
  return decision.kind === 'deny' ? reject(run, call, decision.reason) : allow(run, call, prepared);
}

function ask(
  run: Run,
  call: ToolExecution,
  decision: CheckedDecision,
  prepared: PreparedCall,
): PreparedCall | null {
  const toolCallId = call.id;
  if (decision.kind === 'deny') return reject(run, call, decision.reason);
  if (decision.kind === 'ask') {
    // Decisions for the session are stored at the root agent.
    const remembered = rememberedDecision(run.lease.state(), call.toolCall.name);
    if (remembered === 'rejected') return reject(run, call, 'the user rejects all calls of this tool');
    if (remembered === null) {
      const { reason, isJoint } = decision;
      commit(run, { type: 'approval-request', toolCallId, reason, ...(isJoint ? { isJoint } : {}) });
      return null;
    }
  }
  return allow(run, call, prepared);
}

/** Starts waiting for the output of a tool without `execute`, which the user interface provides. */
function allow(run: Run, { id }: ToolExecution, prepared: PreparedCall): PreparedCall | null {
  if (prepared.tool.execute !== null) return prepared;
  commit(run, { type: 'output-request', toolCallId: id });
  return null;
}

function reject(run: Run, call: ToolExecution, reason: string | null): null {
  const { name } = call.toolCall;
  const message = `The call of ${JSON.stringify(name)} was rejected${reason ? `: ${reason}` : '.'}`;
  return end(run, call, 'rejected', new AgentError('tool-rejected', message, { data: { toolName: name } }));
}

function notRun({ id, toolCall: { name } }: ToolExecution): AgentError {
  const message = `Tool ${JSON.stringify(name)} was not run: the step was stopped first.`;
  return new AgentError('tool-interrupted', message, { data: { toolName: name, toolCallId: id } });
}

function end(
  run: Run,
  call: ToolExecution,
  outcome: 'failed' | 'blocked' | 'rejected' | 'interrupted',
  thrown: unknown,
  author?: string,
): null {
  settleUnrun(run, call.id, outcome, toErrorInfo(run, thrown), author);
  return null;
}

/**
 * Calls a tool within its time limit and returns its result as JSON, cut to the bytes that it may have. The output
 * schema runs before the result is stored.
 * @throws AgentError `tool-timeout` or `tool-output-invalid`, the tool's own error, or the signal's reason.
 */
export async function callTool(
  run: Run,
  tool: Tool,
  execute: (signal: AbortSignal) => unknown,
  signal: AbortSignal = run.signal,
): Promise<JsonValue> {
  const result = await withinTime(run, tool, execute, signal);
  const value = tool.output === null ? result : await validOutput(run, tool.name, tool.output, result);
  // The expression itself, so that a bundler leaves the warning out of a production build.
  const isReported = isDevelopment && process.env.NODE_ENV !== 'production';
  return cutResult(
    run,
    tool,
    toJson(value, isReported ? { onOpaque: (placeholder) => warnOf(tool, placeholder) } : {}),
  );
}

const warned = new WeakSet<Tool>();

/** Warns once about a tool whose result holds a value that the model reads as a name only, such as a Map. */
function warnOf(tool: Tool, placeholder: string): void {
  if (warned.has(tool)) return;
  warned.add(tool);
  // oxlint-disable-next-line no-console -- a mistake that needs no crash belongs in the console
  console.warn(
    `Vitrine: the result of the tool ${JSON.stringify(tool.name)} holds a value that JSON cannot hold, so the model reads ${placeholder} in its place. Return plain data: Object.fromEntries(map) for a Map, [...set] for a Set.`,
  );
}

/** Aborts the tool's own signal when its time is up, so that it can clean up. */
async function withinTime(
  run: Run,
  { name, timeoutMs }: Tool,
  execute: (signal: AbortSignal) => unknown,
  given: AbortSignal,
): Promise<unknown> {
  const author = `tool ${JSON.stringify(name)}`;
  if (timeoutMs === null)
    return userCode(run, author, () => execute(given), { signal: given, timeoutMs: null });
  const own = new AbortController();
  const cancel = run.env.schedule(timeoutMs, () => {
    const message = `Tool ${JSON.stringify(name)} did not finish within ${timeoutMs} ms.`;
    own.abort(new AgentError('tool-timeout', message, { data: { toolName: name, timeoutMs } }));
  });
  const { signal, release } = linkSignals([given, own.signal]);
  try {
    return await userCode(run, author, () => execute(signal), { signal, timeoutMs: null });
  } finally {
    cancel();
    release();
  }
}

async function validOutput(run: Run, toolName: string, schema: Schema, result: unknown): Promise<unknown> {
  const parsed = await userCode(run, `output schema of tool ${JSON.stringify(toolName)}`, () =>
    parse(schema, result),
  );
  if (parsed.ok) return parsed.value;
  const message = `Tool ${JSON.stringify(toolName)} returned an invalid result: ${describeIssues(parsed.issues)}`;
  throw new AgentError('tool-output-invalid', message, {
    data: { toolName, issues: namedIssues(parsed.issues) },
  });
}
