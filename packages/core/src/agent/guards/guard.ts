import { isStopReason } from '../../graph/stop-reason.ts';
import { type StopSignal, of as signalOf } from '../../graph/stop-signal.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { withStopSignal } from '../../graph/agent-state/transitions.ts';
import type { AgentState, AgentStep, ToolCall } from '../../graph/types.ts';
import { defineHook, type Hook, type HookContext, type HookPoint } from '../hook.ts';
import type { FinishReason } from '../../graph/inference-response.ts';
import { currentStepOrLast } from '../../graph/agent-state/accessors.ts';
import { equalJson } from '../../kit/json.ts';
import { checkedCount } from '../check-init.ts';

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
      if (!isStopReason(signal.reason)) {
        const message = `Guard ${JSON.stringify(name)} did not return a stop signal. Return StopSignal.of(reason) or null.`;
        throw new AgentError('hook-contract', message);
      }
      return withStopSignal(state, signal.source === null ? { ...signal, source: name } : signal, ctx.env);
    },
  });
}

/** The state for the guard: before a step without the one about to begin, which has done nothing yet. */
function shownAt(point: HookPoint, state: AgentState): AgentState {
  const { execution } = state;
  if (point !== 'before-step' || execution === null || execution.currentStep === null) return state;
  return { ...state, execution: { ...execution, currentStep: null, currentStepStartedAt: null } };
}

/** Stops the run when the model's last answer ended for one of the given reasons, e.g. `length`. */
export function finishReasonGuard(reasons: readonly FinishReason[]): Hook {
  return guard(
    'finish-reason',
    (state, ctx) => {
      const finishReason = currentStepOrLast(state)?.inferenceResponse?.finishReason;
      if (finishReason === undefined || !reasons.includes(finishReason)) return null;
      const message = `The model finished with ${JSON.stringify(finishReason)}`;
      return signalOf('finish-reason-received', { message, context: { finishReason } }, ctx.env);
    },
    { on: 'after-step' },
  );
}

/**
 * Stops a model that repeats itself: after a number of consecutive calls of one tool with the same arguments, in one
 * step or over several. The run ends `stopped`, with the reason `stop-requested`.
 * @param options.times Default: 3.
 * @throws AgentError `agent-invalid` for less than 2 times
 */
export function repeatedCallGuard({ times = 3 }: { times?: number } = {}): Hook {
  checkedCount(times, 2, 'repeatedCallGuard: times');
  return guard(
    'repeated-call',
    (state, ctx) => {
      const [last, repeated] = lastRow(state, times);
      if (last === null || repeated < times) return null;
      const message = `The model called ${JSON.stringify(last.name)} ${times} times in a row with the same arguments`;
      const context = { toolName: last.name, input: last.input, times };
      return signalOf('stop-requested', { message, context }, ctx.env);
    },
    { on: 'after-step' },
  );
}

/** The last call, and the number of equal ones in a row, counted up to `most`. */
function lastRow(state: AgentState, most: number): [last: ToolCall | null, repeated: number] {
  let last: ToolCall | null = null;
  let repeated = 0;
  for (const step of stepsFromLast(state)) {
    for (const { toolCall } of [...step.toolExecutions].reverse()) {
      last ??= toolCall;
      if (toolCall.name !== last.name || !equalJson(toolCall.input, last.input)) return [last, repeated];
      repeated++;
      if (repeated === most) return [last, repeated];
    }
    // A step without calls interrupts the row.
    if (step.toolExecutions.length === 0) break;
  }
  return [last, repeated];
}

function* stepsFromLast({ execution }: AgentState): Generator<AgentStep> {
  if (execution === null) return;
  if (execution.currentStep !== null) yield execution.currentStep;
  for (let at = execution.stepExecutions.length - 1; at >= 0; at--) {
    const step = execution.stepExecutions[at]?.step;
    if (step !== undefined) yield step;
  }
}
