import { isStopReason } from '../../graph/stop-reason.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { withStopSignal } from '../../graph/agent-state/execution-transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { defineHook, type Hook, type HookContext, type HookPoint } from '../hook.ts';

/**
 * A hook that only asks one question, before and after every step: should the run stop? A signal it returns is added
 * with the guard's name as source, unless it names another; null lets the run go on.
 * @example
 * guard('patience', (state) => (AgentState.hasErrors(state) ? StopSignal.of('stop-requested') : null))
 */
export function guard(
  name: string,
  check: (state: AgentState, ctx: HookContext) => StopSignal | null | Promise<StopSignal | null>,
  options: { priority?: number; on?: HookPoint | readonly HookPoint[] } = {},
): Hook {
  return defineHook({
    name,
    on: options.on ?? ['before-step', 'after-step'],
    priority: options.priority ?? 0,
    async run(state, ctx) {
      const signal: StopSignal | null | undefined = await check(state, ctx);
      if (signal === null || signal === undefined) return state;
      if (!isStopReason(signal.reason)) throw noSignal(name);
      return withStopSignal(state, signal.source === null ? { ...signal, source: name } : signal, ctx.env);
    },
  });
}

function noSignal(name: string): AgentError {
  return new AgentError(
    'hook-contract',
    `Guard ${JSON.stringify(name)} returned something that is no stop signal. Return StopSignal.of(reason) or null.`,
  );
}
