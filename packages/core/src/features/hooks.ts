import {
  at as hooksAt,
  type Hook,
  type HookContext,
  type HookField,
  type HookFields,
  type HookModelCall,
  type HookPoint,
  mutableFields,
} from '../agent/hook.ts';
import { type Tool, toolNamed } from '../agent/tool.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import { type Message, text, type ToolOutcome } from '../graph/message.ts';
import type { ToolExecution } from '../graph/types.ts';
import { reportedUsage, usageOfCall } from '../graph/usage-of-call.ts';
import { none } from '../graph/usage.ts';
import { AgentError } from '../kit/agent-error.ts';
import { callGuarded } from '../kit/async.ts';
import { isDevelopment } from '../kit/freeze.ts';
import type { JsonValue } from '../kit/json.ts';
import { shownShape } from '../kit/text.ts';
import { toJson } from '../kit/to-json.ts';
import type { InferenceRequest } from '../model/inference-client.ts';
import { checkedField, WrongShape } from '../run/boundary.ts';
import type { EffectLog } from '../run/effect-log.ts';
import { textBytes } from '../run/estimate-call.ts';
import type { AgentEventOf } from '../run/events.ts';
import { type EffectOf, performCall } from '../run/perform-call.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import {
  commit,
  effectiveLlmConfig,
  emit,
  priceFor,
  stateOf,
  stepNumber,
  userCode,
  withCost,
} from '../run/run.ts';
import type { Answer, Batch, Feature, ModelCall, Run } from '../run/slots.ts';
import { indexOfCall } from '../run/state-at.ts';
import { isAgentState, stateChanges } from '../run/state-changes.ts';
import { cutResult } from '../run/tools/batch.ts';
import { endUnrun, interruptedError, settleUnrun } from '../run/tools/end-call.ts';
import { holdRoom } from './budgets.ts';

/**
 * Runs the hooks of the agent at their points. Around a model call they may replace its request and the response of the
 * answer that came, before a call of a tool its arguments and its end, behind it its result.
 */
export const hooks: Feature = (run) => {
  const isHeard = hooksAt(run.agent.hooks, 'after-tool-use').length > 0;
  /** The prompts that hooks replaced and the journal has named: a hook may replace the same one in each step. */
  const reported = new Set<string>();
  /** The steps whose remaining calls a hook has stopped. */
  const stopped = new WeakSet<Batch>();
  return {
    at: async (point, errors) => void (await runHooks(run, point, errors === undefined ? {} : { errors })),
    aroundModel: async (call, next) =>
      replaceResponse(run, await next(await replaceRequest(run, call, reported))),
    validate(batch, call) {
      if (stopped.has(batch)) return endUnrun(run, call, 'interrupted', interruptedError(call, false));
      // A call approved unchanged has passed the hooks already. Edited arguments pass them again.
      return (
        (call.approval?.decision === 'approved' && !call.approval.isEdited) || passHooks(batch, call, stopped)
      );
    },
    ...(isHeard ? { settle: replaceResult } : {}),
  };
};

async function replaceRequest(run: Run, call: ModelCall, reported: Set<string>): Promise<ModelCall> {
  const { request: prepared } = call;
  const { request = prepared, author } = await runHooks(run, 'before-inference', { request: prepared });
  const conversation = request.messages === prepared.messages ? call.conversation : null;
  const replaced = author === null ? {} : replacedBy(reported, author, prepared, request);
  return { ...call, request, wire: request, conversation, authors: { ...call.authors, ...replaced } };
}

async function replaceResponse(run: Run, answer: Answer): Promise<Answer> {
  const { response: received } = answer;
  try {
    const { response = received, author } = await runHooks(run, 'after-inference', { response: received });
    return response === received || author === null ? answer : { ...answer, response, author };
  } catch (thrown) {
    // When a hook throws, the received response is kept.
    return { ...answer, failed: { thrown } };
  }
}

function replacedBy(
  reported: Set<string>,
  hook: string,
  prepared: InferenceRequest,
  request: InferenceRequest,
): Pick<AgentEventOf<'inference-start'>, 'replaced'> {
  const [before, after] = [promptOf(prepared), promptOf(request)];
  const names = ['model', 'settings', 'toolChoice', 'tools', 'responseFormat'] as const;
  const fields = [
    ...(before.prompt === after.prompt ? [] : ['prompt']),
    ...(isSameList(before.conversation, after.conversation) ? [] : ['messages']),
    ...names.filter((name) => prepared[name] !== request[name]),
  ];
  if (fields.length === 0) return {};
  const isNew = before.prompt !== after.prompt && !reported.has(before.prompt);
  reported.add(before.prompt);
  return { replaced: { hook, fields, ...(isNew ? { prompt: before.prompt } : {}) } };
}

function promptOf({ messages }: InferenceRequest): {
  readonly prompt: string;
  readonly conversation: readonly Message[];
} {
  const [first] = messages;
  if (first?.role !== 'system') return { prompt: '', conversation: messages };
  return { prompt: text(first), conversation: messages.slice(1) };
}

function isSameList(a: readonly Message[], b: readonly Message[]): boolean {
  return a.length === b.length && a.every((message, index) => message === b[index]);
}

/** Runs the hooks before the call. @returns false when a hook ended it. */
async function passHooks(batch: Batch, call: ToolExecution, stopped: WeakSet<Batch>): Promise<boolean> {
  const { run } = batch;
  const { id } = call;
  const given = { toolCall: call.toolCall };
  const { toolCall, blocked, execution, author, authors } = await runHooks(run, 'before-tool-use', given);
  if (toolCall !== undefined && toolCall !== call.toolCall) {
    const { name: toolName, input } = toolCall;
    commit(run, { type: 'call-change', source: author, toolCallId: id, toolName, input: toJson(input) });
  }
  const { name } = toolCall ?? call.toolCall;
  if (execution !== undefined) {
    const result = resultOf(run, toolNamed(batch.tools, name), execution);
    commit(run, { type: 'call-change', source: author, toolCallId: id, ...result });
    settleUnrun(run, id, result.status, execution.error);
    return false;
  }
  if (blocked === undefined) return true;
  if (blocked.stopBatch === true) stopped.add(batch);
  const message = `Tool ${JSON.stringify(name)} was blocked: ${blocked.reason}`;
  const data = { toolName: name, reason: blocked.reason };
  return endUnrun(run, call, 'blocked', new AgentError('tool-blocked', message, { data }), authors.blocked);
}

/** Runs the hooks behind a call. A replacement is an event of its own. */
async function replaceResult({ run, tools }: Batch, execution: ToolExecution): Promise<void> {
  const { execution: next = execution, author } = await runHooks(run, 'after-tool-use', { execution });
  if (next === execution) return;
  const result = resultOf(run, toolNamed(tools, next.toolCall.name), next);
  commit(run, { type: 'call-change', source: author, toolCallId: execution.id, ...result });
}

function resultOf(
  run: Run,
  tool: Tool | undefined,
  execution: ToolExecution,
): { readonly status: ToolOutcome; readonly error: ErrorInfo | null; readonly result?: JsonValue } {
  const result = 'result' in execution ? { result: cutResult(run, tool, toJson(execution.result)) } : {};
  return { status: execution.status as ToolOutcome, error: execution.error, ...result };
}

/** Time limit of hooks that also run after an abort. */
const lateTimeoutMs = 5000;
const latePoints: readonly HookPoint[] = ['on-stop', 'after-execution', 'on-error'];

/** The fields of a point after its hooks, and the last hook that replaced one of them, or each of them. */
type HookOutcome = Partial<HookFields> & {
  readonly author: string | null;
  readonly authors: { readonly [Field in HookField]?: string };
};

/**
 * Runs the hooks of a point and returns the fields with their replacements. Changes of a hook are committed
 * as events with its name. The first hook that throws ends the sequence; changes of earlier hooks are kept.
 */
async function runHooks(run: Run, point: HookPoint, given: Partial<HookFields> = {}): Promise<HookOutcome> {
  let fields = given;
  let author: string | null = null;
  const authors: { [Field in HookField]?: string } = {};
  for (const hook of hooksAt(run.agent.hooks, point)) {
    const startedAt = run.env.monotonic();
    const limit = limitOf(run, hook, point);
    let isOver = false;
    const call = given.toolCall ?? given.execution;
    const place = (): string => (call === undefined ? point : `${point}/${placeOf(run, call.id)}`);
    const models = createHookModelCalls(run, hook.name, place, limit.signal);
    const ctx: HookContext = {
      point,
      agentName: run.agent.name,
      stepNumber: stateOf(run).execution?.currentStep ? stepNumber(run) : null,
      signal: limit.signal,
      env: run.env,
      inference: run.agent.inference,
      get fields() {
        return fields;
      },
      replace(field, value) {
        checkContract(run, hook, point, field);
        // Replacements after the hook's time limit are ignored.
        if (isOver) return;
        fields = { ...fields, [field]: checkValue(run, hook, point, { field, value, given: fields[field] }) };
        author = hook.name;
        authors[field] = author;
      },
      callModel: models.callModel,
      block: (reason, options) => ctx.replace('blocked', { reason, ...options }),
    };
    const before = stateOf(run);
    const after = await userCode(
      run,
      `hook ${JSON.stringify(hook.name)}`,
      () => hook.run(before, ctx),
      limit,
    ).finally(() => {
      isOver = true;
      models.close();
    });
    if (after !== undefined) commitChanges(run, before, after, hook, point);
    emit(run, { type: 'hook-end', hook: hook.name, point, durationMs: run.env.monotonic() - startedAt });
  }
  return { ...fields, author, authors };
}

/** The position of a call in its step, which is the same in an equal run. */
function placeOf(run: Run, id: string): number {
  return indexOfCall(stateOf(run).execution?.currentStep?.toolExecutions ?? [], id);
}

function commitChanges(
  run: Run,
  before: ReturnType<typeof stateOf>,
  after: unknown,
  { name: hook, keepsSent = false }: Hook,
  point: HookPoint,
): void {
  if (!isAgentState(after)) {
    const message = `Hook ${JSON.stringify(hook)} at ${point} did not return an AgentState. Return the given state, changed or not, or nothing.`;
    throw new AgentError('hook-contract', message, { data: { hook, point } });
  }
  const changes = stateChanges(before, after, hook, run.env, { isErasing: !keepsSent });
  for (const change of changes) commit(run, change);
}

type Replacement = { readonly field: HookField; readonly value: unknown; readonly given: unknown };

/** Checks a replacement. @throws AgentError `hook-contract` for a value that cannot replace the field */
function checkValue(run: Run, hook: Hook, point: HookPoint, { field, value, given }: Replacement): unknown {
  try {
    return checkedField(field, value, given as undefined, run.env);
  } catch (thrown) {
    if (!(thrown instanceof WrongShape)) throw thrown;
    const message = `Hook ${JSON.stringify(hook.name)} at ${point} replaces "${field}" with an invalid value: ${thrown.message}.`;
    throw new AgentError('hook-contract', message, { data: { hook: hook.name, point, field } });
  }
}

function limitOf(run: Run, hook: Hook, point: HookPoint): { signal: AbortSignal; timeoutMs: number | null } {
  const timeoutMs = hook.timeoutMs ?? run.agent.hookTimeoutMs;
  if (!run.signal.aborted || !latePoints.includes(point)) return { signal: run.signal, timeoutMs };
  // The run's own signal is already aborted and would end the hook before it began.
  return {
    signal: new AbortController().signal,
    timeoutMs: Math.min(timeoutMs ?? lateTimeoutMs, lateTimeoutMs),
  };
}

function checkContract(run: Run, hook: Hook, point: HookPoint, field: HookField): void {
  if (mutableFields[point].includes(field)) return;
  if (!Object.values(mutableFields).flat().includes(field)) {
    const message = `Hook ${JSON.stringify(hook.name)} at ${point} calls ctx.replace with ${shownShape(field)} in place of a field's name. Write ctx.replace('request', value), with a field that ctx.fields has there.`;
    throw new AgentError('hook-contract', message, { data: { hook: hook.name, point } });
  }
  if (run.hookContract === 'off') return;
  const message = `Hook ${JSON.stringify(hook.name)} replaces "${field}" at ${point}, where nothing reads it. Move it to a point that allows it.`;
  if (run.hookContract === 'strict') {
    throw new AgentError('hook-contract', message, { data: { hook: hook.name, point, field } });
  }
  if (run.hookContract === 'diagnostics')
    emit(run, { type: 'hook-violation', hook: hook.name, point, field });
  else if (isDevelopment) console.warn(message);
}

/**
 * Creates the model calls of a hook. They hold room in the ledger like those of steps, and are charged to
 * the step in flight.
 * @param place Returns the point of the hook, and the position of the tool call that it is about.
 */
function createHookModelCalls(run: Run, hook: string, place: () => string, signal: AbortSignal) {
  const open = new Set<() => void>();

  async function callModel<Result>(given: HookModelCall<Result>): Promise<Result> {
    const input = toJson(given.input);
    const sent = textBytes(JSON.stringify(input));
    const name = [...run.path, stepNumber(run), 'hook', hook, place()].join('/');
    const count = (run.hookCalls.get(name) ?? 0) + 1;
    run.hookCalls.set(name, count);
    const key = `${name}/${count}`;
    const model = given.model ?? effectiveLlmConfig(run)?.model ?? null;
    const price = await priceFor(run, model);
    const { maxOutputTokens = null } = given;
    const size = { requestBytes: sent, textBytes: sent, maxOutputTokens, price };
    const hold = await holdRoom(run, size, signal);

    /** Charges the call once, however it ends. */
    function charge(reported: unknown, result?: JsonValue, isFree = false): void {
      if (!open.delete(chargeOpen)) return;
      const countIn = (): number => (result === undefined ? 0 : textBytes(JSON.stringify(result)));
      const usage = usageOfCall(reportedUsage(reported), { countOut: () => sent, countIn });
      const known = isFree ? none() : withCost(run, usage, [model]);
      const outcome = result === undefined ? {} : { result };
      try {
        commit(run, { type: 'usage-charge', reason: 'hook', hook, usage: known, key, ...outcome });
      } finally {
        hold.settle(known);
      }
    }
    const chargeOpen = (): void => charge(null);
    open.add(chargeOpen);
    try {
      const guard = {
        author: `a model call of hook ${JSON.stringify(hook)}`,
        signal,
        timeoutMs: given.timeoutMs ?? null,
        schedule: run.env.schedule,
      };
      const effect = {
        key,
        kind: 'model',
        name: hook,
        effects: 'idempotent',
        input,
        hasBegun: false,
      } as const;
      const { effects: log } = run;
      const { result, isNew } = await callGuarded(guard, async () =>
        log === null
          ? { result: await given.call(signal), isNew: true }
          : recordedCall(run, log, effect, given, signal),
      );
      charge(isNew ? given.usageOf?.(result) : null, toJson(result), !isNew);
      return result;
    } finally {
      chargeOpen();
    }
  }

  return {
    callModel,
    /** Ends the hook: its open calls are charged as they are. */
    close: (): void => open.forEach((charge) => charge()),
  };
}

/** Makes the model call of a hook through the effect log. A recorded result is plain JSON. */
async function recordedCall<Result>(
  run: Run,
  log: EffectLog,
  effect: EffectOf,
  given: HookModelCall<Result>,
  signal: AbortSignal,
): Promise<{ readonly result: Result; readonly isNew: boolean }> {
  let live: { readonly result: Result } | null = null;
  const call = {
    effect,
    describe: (error: unknown) => toErrorInfo(run, error),
    work: async (own: AbortSignal) => given.call(own),
    outcome: (result: Result) => toJson((live = { result }).result),
  };
  const { outcome, isNew, thrown } = await performCall(run, log, call, signal);
  if ('failed' in outcome) throw thrown;
  return { result: isNew && live !== null ? live['result'] : (outcome.value as Result), isNew };
}
