import { type AgentError, isAgentError } from '../kit/agent-error.ts';
import * as errors from '../kit/definition-error.ts';
import { of as budgetOf } from '../graph/execution-budget.ts';
import { type ExecutionBudget, type SessionBudget, sessionLimits } from '../graph/limits.ts';

/** Default step limit of an execution. */
export const defaultMaxSteps = 20;

/**
 * Copy of `kit/longest-timer`: sharing that file between the first chunk and the engine would cost every page 50
 * bytes.
 */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Checks a time limit in milliseconds: null when it is omitted, Infinity when no timer could count it.
 * @throws AgentError `agent-invalid` for NaN, 0 and negative numbers.
 */
export function checkedTimeLimit(ms: number | undefined, what: string): number | null {
  if (ms === undefined) return null;
  if (typeof ms === 'number' && ms > 0) return ms > longestTimerMs ? Infinity : ms;
  throw invalid(
    `${what} is ${String(ms)}; give milliseconds above 0, Infinity for no limit, or leave it out.`,
  );
}

/** Checks a count. @throws AgentError `agent-invalid` unless it is a whole number of at least `least`. */
export function checkedCount(count: number, least: number, what: string): number {
  if (Number.isInteger(count) && count >= least) return count;
  throw invalid(`${what} is ${String(count)}; give a whole number of ${least} or more.`);
}

/** Checks an amount. @throws AgentError `agent-invalid` unless it is finite and not negative. */
export function checkedAmount(amount: number, what: string): number {
  if (Number.isFinite(amount) && amount >= 0) return amount;
  throw invalid(`${what} is ${String(amount)}; give a number of 0 or more.`);
}

/**
 * Checks a budget; without a step limit it has 20 steps. Only null removes a limit.
 * @throws AgentError `agent-invalid` for a limit that is NaN, infinite, negative or undefined, or that does not exist.
 */
export function checkedBudget(limits: Partial<ExecutionBudget> = {}, owner: string): ExecutionBudget {
  try {
    return budgetOf({ maxSteps: defaultMaxSteps, ...limits });
  } catch (thrown) {
    throw isAgentError(thrown, 'budget-invalid') ? invalid(`${owner}: ${thrown.message}`) : thrown;
  }
}

/**
 * Checks the limits of a session.
 * @throws AgentError `agent-invalid` for a limit that is NaN, infinite, negative or undefined, or that does not exist.
 */
export function checkedSessionBudget(given: Partial<SessionBudget> = {}, owner: string): SessionBudget {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(sessionLimits, key))
      throw invalid(`${owner}: sessionBudget.${key} is not a limit. The limits are tokens, cost.`);
    const value: unknown = given[key as keyof SessionBudget];
    if (value !== null && !(typeof value === 'number' && Number.isFinite(value) && value >= 0))
      throw invalid(
        `${owner}: sessionBudget.${key} is ${String(value)}; give a number of 0 or more, null for no limit, or leave it out.`,
      );
  }
  return { tokens: given.tokens ?? null, cost: given.cost ?? null };
}

/**
 * Checks a limit of bytes; null for Infinity.
 * @throws AgentError `agent-invalid` unless it is a whole number of at least 1, or Infinity.
 */
export function checkedBytes(bytes: number, what: string): number | null {
  return bytes === Infinity ? null : checkedCount(bytes, 1, what);
}

function invalid(message: string): AgentError {
  return errors.agentInvalid(message);
}
