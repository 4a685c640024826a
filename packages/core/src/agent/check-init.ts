import { type AgentError, isAgentError } from '../kit/agent-error.ts';
import * as errors from '../kit/definition-faults.ts';
import { of as budgetOf } from '../graph/limits/budget-of.ts';
import type { ExecutionBudget } from '../graph/limits/limits.ts';

/** Steps that an agent may take in one execution unless its budget says otherwise. */
export const defaultMaxSteps = 20;

/** As `kit/longest-timer` says; a file that the first chunk shares with the engine would cost every page 50 bytes. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * A time limit in milliseconds: null when none is given, Infinity for one that no timer could keep.
 * @throws AgentError `agent-invalid` for NaN, 0 and what is below.
 */
export function checkedTimeLimit(ms: number | undefined, what: string): number | null {
  if (ms === undefined) return null;
  if (typeof ms === 'number' && ms > 0) return ms > longestTimerMs ? Infinity : ms;
  throw invalid(
    `${what} is ${String(ms)}; give milliseconds above 0, Infinity for no limit, or leave it out.`,
  );
}

/** @throws AgentError `agent-invalid` unless the number is a whole one of at least `least`. */
export function checkedCount(count: number, least: number, what: string): number {
  if (Number.isInteger(count) && count >= least) return count;
  throw invalid(`${what} is ${String(count)}; give a whole number of ${least} or more.`);
}

/** @throws AgentError `agent-invalid` unless the number is finite and not negative. */
export function checkedAmount(amount: number, what: string): number {
  if (Number.isFinite(amount) && amount >= 0) return amount;
  throw invalid(`${what} is ${String(amount)}; give a number of 0 or more.`);
}

/**
 * The limits given, 20 steps where nothing is said of steps. Only null takes a limit away.
 * @throws AgentError `agent-invalid` for a limit that is NaN, infinite, negative or undefined, or that does not exist.
 */
export function checkedBudget(limits: Partial<ExecutionBudget> = {}, owner: string): ExecutionBudget {
  try {
    return budgetOf({ maxSteps: defaultMaxSteps, ...limits });
  } catch (thrown) {
    throw isAgentError(thrown, 'budget-invalid') ? invalid(`${owner}: ${thrown.message}`) : thrown;
  }
}

function invalid(message: string): AgentError {
  return errors.agentInvalid(message);
}
