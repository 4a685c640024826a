import { type as stepType } from '../graph/agent-step.ts';
import { currentStep } from '../graph/agent-state/accessors.ts';
import { remaining } from '../graph/execution-budget.ts';
import { limits, spentOf } from '../graph/limits.ts';
import type { BreakAddress, BreakCondition, ToolExecution } from '../graph/types.ts';
import { holdsFields } from '../kit/json.ts';
import { nothing } from '../kit/memoize.ts';
import { commit, stateOf, stepNumber } from '../run/run.ts';
import type { Feature, Run } from '../run/slots.ts';

/** Holds the run at the breakpoints of a debugger. */
export const breakpoints: Feature = (run) => ({ waitsAt: (point, call) => breaksAt(run, point, call) });

/**
 * Stops the agent at a place when a breakpoint applies to it. Without breakpoints it costs one look at a list.
 * @returns true when the agent has to wait.
 */
function breaksAt(run: Run, point: BreakAddress['point'], call: ToolExecution | null): boolean {
  const { breakpoints: all = nothing } = run.lease.state();
  if (all.length === 0 || run.signal.aborted) return false;
  const at: BreakAddress = { point, step: stepNumber(run), toolCallId: call?.id ?? null };
  if (isPassed(stateOf(run).execution?.breakPassed ?? null, at)) return false;
  const hit = all.find(({ on }) => applies(run, on, { point, call }));
  if (hit === undefined) return false;
  commit(run, { type: 'break-hit', breakpointId: hit.id, place: at });
  // The hit comes first, so that a crash between the two loses no pause.
  if (hit.isOnce)
    commit({ ...run, path: [] }, { type: 'break-set', breakpointId: hit.id, on: null, isOnce: true });
  return true;
}

/** The places of a step in their order. */
const order: readonly BreakAddress['point'][] = ['model', 'answer', 'tool', 'end'];

/** True for the place that was released last, and for those before it in the same step. */
export function isPassed(passed: BreakAddress | null, { point, step, toolCallId }: BreakAddress): boolean {
  if (passed === null || passed.step !== step) return false;
  if (passed.point === point) return passed.toolCallId === toolCallId;
  return order.indexOf(passed.point) > order.indexOf(point);
}

type Place = { readonly point: BreakAddress['point']; readonly call: ToolExecution | null };

function applies(run: Run, on: BreakCondition, { point, call }: Place): boolean {
  const step = currentStep(stateOf(run));
  if ('agent' in on && on.agent !== undefined && on.agent !== run.agent.name) return false;
  switch (on.type) {
    case 'next':
      return point === 'model' || point === 'tool';
    case 'model':
      return point === 'model';
    case 'tool': {
      const isMeant = ({ toolCall: { name, input } }: ToolExecution): boolean =>
        name === on.toolName && (on.input === undefined || holdsFields(input, on.input));
      return on.isAfter === true
        ? point === 'end' && step?.toolExecutions.some(isMeant) === true
        : call !== null && isMeant(call);
    }
    case 'step':
      if (step === null || stepType(step) !== on.stepType) return false;
      return point === (on.stepType === 'error' ? 'end' : 'answer');
    case 'budget':
      return point === 'model' && isNearlySpent(run, on);
    case 'cost':
      return point === 'model' && spentOf(run.lease.state(), run.env.now()).cost > on.over;
    case 'finding':
      // `watchFindings` of the inspect entry pauses the run.
      return false;
  }
}

function isNearlySpent(run: Run, { limit, left }: Extract<BreakCondition, { type: 'budget' }>): boolean {
  const rest = remaining(run.budget, spentOf(stateOf(run), run.env.now()));
  return limits.some(({ measure, key }) => measure === limit && (rest[key] ?? Infinity) <= left);
}
