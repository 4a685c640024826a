import { type StopSignal } from '../graph/stop-signal.ts';
import type { Env } from '../graph/env.ts';
import { currentStep } from '../graph/agent-state/accessors.ts';
import { withExecutionCompleted, withStopSignal } from '../graph/agent-state/execution-transitions.ts';
import { withCurrentStep, withStreamingStep, type ToolTrace } from '../graph/agent-state/step-transitions.ts';
import type { AgentState } from '../graph/types.ts';
import { withResults } from './tools/settle-calls.ts';

/**
 * Ends an execution that nobody runs any more, as a stop would have: calls without a result get one, what had come in
 * of the answer stays, and the signal says why. A state whose execution is over, or has none, comes back as it is.
 */
export function endInterrupted(
  state: AgentState,
  signal: StopSignal,
  options: { toolTrace: ToolTrace },
  env: Env,
): AgentState {
  const { execution } = state;
  if (execution === null || (execution.status !== 'in-progress' && execution.status !== 'pending'))
    return state;
  const step = currentStep(state);
  const settled =
    step === null
      ? state
      : withCurrentStep(withStreamingStep(state, step, env), withResults(step, env), env, options);
  return withExecutionCompleted(withStopSignal(settled, signal, env), env);
}
