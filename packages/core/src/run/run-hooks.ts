import {
  type Hook,
  type HookContext,
  type HookField,
  type HookFields,
  type HookPoint,
  mutableFields,
} from '../agent/hook.ts';
import { at } from '../agent/hook-stack.ts';
import { AgentError } from '../kit/agent-error.ts';
import { isDevelopment } from '../kit/development.ts';
import { checkedField, WrongShape } from './checked-field.ts';
import { commit, type Run, stateOf, stepNumber, tell, userCode } from './run.ts';
import { isAgentState, stateChanges } from './state-changes.ts';

/** Hooks that are to run also when the run was aborted have this long then. */
const lateTimeoutMs = 5000;
const latePoints: readonly HookPoint[] = ['on-stop', 'after-execution', 'on-error'];

/** The fields of a point as its hooks leave them, and who replaced one of them last. */
export type HookOutcome = Partial<HookFields> & { readonly author: string | null };

/**
 * Runs the hooks of a point and returns the fields with their replacements. What a hook changed is committed as events
 * with its name. The first one that throws ends the sequence; what earlier ones changed is kept.
 */
export async function runHooks(
  run: Run,
  point: HookPoint,
  given: Partial<HookFields> = {},
): Promise<HookOutcome> {
  let fields = given;
  let author: string | null = null;
  for (const hook of at(run.agent.hooks, point)) {
    const startedAt = run.env.monotonic();
    const limit = limitOf(run, hook, point);
    let isOver = false;
    const ctx: HookContext = {
      point,
      agentName: run.agent.name,
      stepNumber: stateOf(run).execution?.currentStep ? stepNumber(run) : null,
      signal: limit.signal,
      env: run.env,
      get fields() {
        return fields;
      },
      replace(field, value) {
        checkContract(run, hook, point, field);
        // What a hook does after its time belongs to nobody any more.
        if (isOver) return;
        fields = { ...fields, [field]: checked(run, hook, point, { field, value, given: fields[field] }) };
        author = hook.name;
      },
      block: (reason, options) => ctx.replace('blocked', { reason, ...options }),
    };
    const before = stateOf(run);
    const after = await userCode(
      run,
      `hook ${JSON.stringify(hook.name)}`,
      () => hook.run(before, ctx),
      limit,
    ).finally(() => (isOver = true));
    if (after !== undefined) commitChanges(run, before, after, hook.name, point);
    tell(run, { type: 'hook-end', hook: hook.name, point, durationMs: run.env.monotonic() - startedAt });
  }
  return { ...fields, author };
}

function commitChanges(
  run: Run,
  before: ReturnType<typeof stateOf>,
  after: unknown,
  hook: string,
  point: HookPoint,
): void {
  if (!isAgentState(after)) {
    throw new AgentError(
      'hook-contract',
      `Hook ${JSON.stringify(hook)} at ${point} returned something that is no AgentState. Return the state that it was given, changed or not, or nothing.`,
      { data: { hook, point } },
    );
  }
  for (const change of stateChanges(before, after, hook, run.env)) commit(run, change);
}

type Replacement = { readonly field: HookField; readonly value: unknown; readonly given: unknown };

/** @throws AgentError `hook-contract` for what cannot stand in the place of the field */
function checked(run: Run, hook: Hook, point: HookPoint, { field, value, given }: Replacement): unknown {
  try {
    return checkedField(field, value, given as undefined, run.env);
  } catch (thrown) {
    if (!(thrown instanceof WrongShape)) throw thrown;
    throw new AgentError(
      'hook-contract',
      `Hook ${JSON.stringify(hook.name)} at ${point} replaces "${field}" with what is none: ${thrown.message}.`,
      { data: { hook: hook.name, point, field } },
    );
  }
}

function limitOf(run: Run, hook: Hook, point: HookPoint): { signal: AbortSignal; timeoutMs: number | null } {
  const timeoutMs = hook.timeoutMs ?? run.agent.hookTimeoutMs;
  if (!run.signal.aborted || !latePoints.includes(point)) return { signal: run.signal, timeoutMs };
  // The run's own signal would end it before it began.
  return {
    signal: new AbortController().signal,
    timeoutMs: Math.min(timeoutMs ?? lateTimeoutMs, lateTimeoutMs),
  };
}

function checkContract(run: Run, hook: Hook, point: HookPoint, field: HookField): void {
  if (run.hookContract === 'off' || mutableFields[point].includes(field)) return;
  const message = `Hook ${JSON.stringify(hook.name)} replaces "${field}" at ${point}, where nothing reads it. Move it to a point that allows it.`;
  if (run.hookContract === 'strict') {
    throw new AgentError('hook-contract', message, { data: { hook: hook.name, point, field } });
  }
  if (run.hookContract === 'diagnostics')
    tell(run, { type: 'hook-violation', hook: hook.name, point, field });
  else if (isDevelopment) console.warn(message);
}
