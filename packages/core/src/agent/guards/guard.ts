import { isStopReason } from '../../graph/stop-reason.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { withStopSignal } from '../../graph/agent-state/transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { defineHook, type Hook, type HookContext, type HookPoint } from '../hook.ts';

/**
 * Creates a hook that decides before and after every step whether the run should stop. A returned signal is added with
 * the guard's name as its source, unless it names another; null continues the run. Before a step the guard sees the
 * finished steps, without the step in flight.
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
      const signal: StopSignal | null | undefined = await check(shownAt(ctx.point, state), ctx);
      if (signal === null || signal === undefined) return state;
      if (!isStopReason(signal.reason)) throw noSignal(name);
      return withStopSignal(state, signal.source === null ? { ...signal, source: name } : signal, ctx.env);
    },
  });
}

/**
 * The state for the guard. Before a step it has only finished steps, because the one about to begin has done nothing
 * yet.
 */
function shownAt(point: HookPoint, state: AgentState): AgentState {
  const { execution } = state;
  if (point !== 'before-step' || execution === null || execution.currentStep === null) return state;
  return { ...state, execution: { ...execution, currentStep: null, currentStepStartedAt: null } };
}

function noSignal(name: string): AgentError {
  return new AgentError(
    'hook-contract',
    `Guard ${JSON.stringify(name)} did not return a stop signal. Return StopSignal.of(reason) or null.`,
  );
}
