import { isDevelopment } from '../kit/development.ts';
import { AgentError } from '../kit/agent-error.ts';
import {
  type Hook,
  type HookContext,
  type HookField,
  type HookFields,
  type HookPoint,
  mutableFields,
} from '../agent/hook.ts';
import { at } from '../agent/hook-stack.ts';
import { currentStepNumber, emit, type Run } from './run.ts';

/**
 * Runs the hooks of a point over the run's state and returns the fields with their replacements.
 * The first hook that throws ends the sequence; what earlier ones changed is kept.
 */
export async function runHooks(
  run: Run,
  point: HookPoint,
  given: Partial<HookFields> = {},
): Promise<Partial<HookFields>> {
  const hooks = at(run.hooks, point);
  let fields = given;
  for (const hook of hooks) {
    const startedAt = run.env.monotonic();
    const ctx: HookContext = {
      point,
      agentName: run.agent.name,
      stepNumber: run.isInStep ? currentStepNumber(run) : null,
      signal: run.signal,
      env: run.env,
      get fields() {
        return fields;
      },
      replace(field, value) {
        checkContract(run, hook, point, field);
        fields = { ...fields, [field]: value };
      },
      block: (reason, options) => ctx.replace('blocked', { reason, ...options }),
    };
    const next = await hook.run(run.state, ctx);
    if (next !== undefined) run.state = next;
    emit(run, { type: 'hook-end', hook: hook.name, point, durationMs: run.env.monotonic() - startedAt });
  }
  return fields;
}

function checkContract(run: Run, hook: Hook, point: HookPoint, field: HookField): void {
  if (run.hookContract === 'off' || mutableFields[point].includes(field)) return;
  const message = `Hook ${JSON.stringify(hook.name)} replaces "${field}" at ${point}, where nothing reads it. Move it to a point that allows it.`;
  if (run.hookContract === 'strict') {
    throw new AgentError('hook-contract', message, { data: { hook: hook.name, point, field } });
  }
  if (run.hookContract === 'diagnostics')
    emit(run, { type: 'hook-violation', hook: hook.name, point, field });
  else if (isDevelopment) console.warn(message);
}
