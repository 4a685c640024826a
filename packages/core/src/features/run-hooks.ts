import {
  type Hook,
  type HookContext,
  type HookField,
  type HookFields,
  type HookPoint,
  mutableFields,
  type HookModelCall,
  at,
} from '../agent/hook.ts';
import { AgentError } from '../kit/agent-error.ts';
import { isDevelopment } from '../kit/freeze.ts';
import { checkedField, WrongShape } from '../run/boundary.ts';
import {
  commit,
  stateOf,
  stepNumber,
  emit,
  userCode,
  effectiveLlmConfig,
  priceFor,
  withCost,
} from '../run/run.ts';
import { indexOfCall } from '../run/state-at.ts';
import { isAgentState, stateChanges } from '../run/state-changes.ts';
import { none } from '../graph/usage.ts';
import type { EffectLog } from '../run/effect-log.ts';
import { performCall } from '../run/perform-call.ts';
import { reportedUsage, usageOfCall } from '../graph/usage-of-call.ts';
import { callGuarded } from '../kit/async.ts';
import type { JsonValue } from '../kit/json.ts';
import { shownShape } from '../kit/text.ts';
import { toJson } from '../kit/to-json.ts';
import { textBytes } from '../run/estimate-call.ts';
import { holdRoom } from './budgets.ts';
import { toErrorInfo } from '../run/record-failure.ts';
import type { Run } from '../run/slots.ts';

/** Time limit of hooks that also run after an abort. */
const lateTimeoutMs = 5000;
const latePoints: readonly HookPoint[] = ['on-stop', 'after-execution', 'on-error'];

/** The fields of a point after its hooks, and the last hook that replaced one of them, or each of them. */
export type HookOutcome = Partial<HookFields> & {
  readonly author: string | null;
  readonly authors: { readonly [Field in HookField]?: string };
};

/**
 * Runs the hooks of a point and returns the fields with their replacements. Changes of a hook are committed
 * as events with its name. The first hook that throws ends the sequence; changes of earlier hooks are kept.
 */
export async function runHooks(
  run: Run,
  point: HookPoint,
  given: Partial<HookFields> = {},
): Promise<HookOutcome> {
  let fields = given;
  let author: string | null = null;
  const authors: { [Field in HookField]?: string } = {};
  for (const hook of at(run.agent.hooks, point)) {
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
      const { effects } = run;
      if (effects !== null) {
        const { result, isNew } = await callGuarded(guard, () =>
          recordedCall(run, effects, { given, signal, key, hook, input }),
        );
        charge(isNew ? given.usageOf?.(result) : null, toJson(result), !isNew);
        return result;
      }
      const result = await callGuarded(guard, () => given.call(signal));
      charge(given.usageOf?.(result), toJson(result));
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

type RecordedCall<Result> = {
  readonly given: HookModelCall<Result>;
  readonly signal: AbortSignal;
  readonly key: string;
  readonly hook: string;
  readonly input: JsonValue;
};

/** Makes the model call of a hook through the effect log. A recorded result is plain JSON. */
async function recordedCall<Result>(
  run: Run,
  log: EffectLog,
  { given, signal, key, hook, input }: RecordedCall<Result>,
): Promise<{ readonly result: Result; readonly isNew: boolean }> {
  let live: { readonly result: Result } | null = null;
  const call = {
    effect: { key, kind: 'model', name: hook, effects: 'idempotent', input, hasBegun: false },
    describe: (error: unknown) => toErrorInfo(run, error),
    work: async (own: AbortSignal) => given.call(own),
    outcome: (result: Result) => toJson((live = { result }).result),
  } as const;
  const { outcome, isNew, thrown } = await performCall(run, log, call, signal);
  if ('failed' in outcome) throw thrown;
  return { result: isNew && live !== null ? live['result'] : (outcome.value as Result), isNew };
}
