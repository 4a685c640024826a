import type { StopSignal } from '../../graph/stop-signal.ts';
import { withStopSignal } from '../../graph/agent-state/execution-transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { defineHook, type Hook, type HookContext, type HookPoint } from '../hook.ts';

/**
 * A hook that only asks one question, before and after every step: should the run stop? A signal it returns is added
 * with the guard's name as source, unless it names another.
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
      const signal = await check(state, ctx);
      if (signal === null) return state;
      return withStopSignal(state, signal.source === null ? { ...signal, source: name } : signal, ctx.env);
    },
  });
}
