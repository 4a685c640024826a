import type { AgentError } from '../../kit/agent-error.ts';
import * as errors from '../../kit/errors.ts';
import { isPlainObject } from '../../kit/json.ts';
import { type ExecutionBudget, type Limit, limits } from './limits.ts';

/**
 * A budget of the given limits; omitted and null limits are unlimited.
 * @throws AgentError `budget-invalid` for a limit that is undefined, NaN, infinite or negative, and for an unknown
 * one.
 */
export function of(given: Partial<ExecutionBudget> = {}): ExecutionBudget {
  if (!isPlainObject(given))
    throw errors.budgetInvalid('A budget is an object of limits, e.g. { maxSteps: 20 }.', { limit: '' });
  for (const key of Object.keys(given)) {
    if (limits.every((limit) => limit.key !== key)) throw unknownLimit(key);
  }
  return fromLimits(({ key, unit }) => {
    if (!Object.hasOwn(given, key)) return null;
    const value: unknown = given[key];
    if (value === null) return null;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw invalidLimit(key, value);
    return unit === 'moment' ? Math.round(value) : value;
  });
}

/** A budget whose limits come from a function. */
export function fromLimits(valueOf: (limit: Limit) => number | null): ExecutionBudget {
  return Object.fromEntries(limits.map((limit) => [limit.key, valueOf(limit)])) as ExecutionBudget;
}

function invalidLimit(key: string, value: unknown): AgentError {
  const given = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  const message = `budget.${key} is ${given}; give a number of 0 or more, null for no limit, or leave it out.`;
  return errors.budgetInvalid(message, { limit: key, value: given });
}

function unknownLimit(key: string): AgentError {
  const keys = limits.map((limit) => limit.key).join(', ');
  const message = `budget.${key} is not a limit. The limits are ${keys}.`;
  return errors.budgetInvalid(message, { limit: key });
}
