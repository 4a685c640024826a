import * as errors from '../kit/errors.ts';
import { isPlainObject } from '../kit/json.ts';
import type { Timestamp } from './env.ts';
import { grantKeyOf, raiseLimit } from './execution-budget.ts';
import { type Limit, limits, sessionSpent } from './limits.ts';
import type { StopSignal } from './stop-signal.ts';
import type { AgentState, Grant } from './types.ts';

export function addGrant(before: Grant | undefined, grant: Grant): Grant {
  const sums = limits.flatMap((limit) => {
    const [old, more] = [before?.[grantKeyOf(limit)], grant[grantKeyOf(limit)]];
    const sum = old === undefined || more === undefined ? (old ?? more) : raiseLimit(limit, old, more);
    return sum === undefined ? [] : [[grantKeyOf(limit), sum]];
  });
  return Object.fromEntries(sums) as Grant;
}

/** @throws AgentError `budget-invalid` for an amount that is no number of 0 or more, and for an unknown one. */
export function checkedGrant(given: Grant): Grant {
  const keys: readonly string[] = limits.map(grantKeyOf);
  if (!isPlainObject(given))
    throw errors.budgetInvalid('A grant is an object of amounts, e.g. { steps: 20 }.', { limit: '' });
  for (const [key, value] of Object.entries(given)) {
    const what = keys.includes(key)
      ? `it is ${String(value)}; give a number of 0 or more, or leave it out`
      : `it is not an amount; the amounts are ${keys.join(', ')}`;
    if (!keys.includes(key) || typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw errors.budgetInvalid(`grant.${key}: ${what}.`, { limit: key });
  }
  return { ...given };
}

/**
 * The grant that gives every limit that ended a run once more, from what is spent. It is empty when no limit ended the
 * run, when a limit is 0, and when the price of a model is unknown.
 */
export function grantedOnceMore(state: AgentState, now: Timestamp): Grant {
  const { execution } = state;
  const found: { -readonly [Key in keyof Grant]: Grant[Key] } = {};
  for (const signal of execution?.continuation.stopSignals ?? []) {
    for (const limit of limits) {
      const key = grantKeyOf(limit);
      const amount = amountFor(state, limit, signal, now);
      if (amount > (found[key] ?? 0)) found[key] = amount;
    }
  }
  return found;
}

/** The amount that gives a limit of a signal once more; 0 for a limit that the signal is not about. */
function amountFor(state: AgentState, limit: Limit, signal: StopSignal, now: Timestamp): number {
  const { context, source } = signal;
  const isOfTree = source === 'ledger' && limit.key === 'maxSteps';
  const reached = context[isOfTree ? 'maxTotalSteps' : limit.key];
  if (signal.reason !== limit.reason || typeof reached !== 'number') return 0;
  if (limit.unit === 'moment') {
    const lengthMs = reached - (state.execution?.startedAt ?? reached);
    return lengthMs > 0 ? now + lengthMs : 0;
  }
  const spent =
    source === 'session-budget'
      ? sessionSpent(state)[limit.measure as 'tokens' | 'cost']
      : isOfTree
        ? Number(context['totalSteps'])
        : limit.spending(state, now);
  if (context['refused'] !== true && limit.unit === 'money' && spent < reached) return 0;
  // The limit of the signal has what was granted before.
  const once = reached - (state.execution?.grants?.[grantKeyOf(limit)] ?? 0);
  const missing = context['refused'] === true ? Number(context['atLeast']) - Number(context['left']) : 0;
  if (once <= 0) return 0;
  const more = Math.max(once, missing) + Math.max(0, spent - reached);
  return limit.unit === 'money' ? Math.ceil(more * 1_000_000 - 1e-6) / 1_000_000 : more;
}
