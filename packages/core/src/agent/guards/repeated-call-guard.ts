import { of as signalOf } from '../../graph/stop-signal.ts';
import type { AgentState, AgentStep, ToolCall } from '../../graph/types.ts';
import { equalJson } from '../../kit/json.ts';
import { checkedCount } from '../check-init.ts';
import type { Hook } from '../hook.ts';
import { guard } from './guard.ts';

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
