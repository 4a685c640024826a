import { spentOf } from '@vitrine/core/internal/graph/limits';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { inside } from './wording.ts';

/** A subagent that a limit of an agent above it stopped. */
export const limitOfParent = defineDetector({
  code: 'limit-of-parent',
  area: 'budget',
  severity: 'warning',
  finds: 'A subagent that was stopped by a limit of an agent above it, and not by its own.',
  reads: { 'stop-signal': ['signal'] },
  watch:
    () =>
    ({ event, agent }) => {
      const { signal } = event;
      const { source, context, message, reason } = signal;
      if (event.path.length === 0) return null;
      const own = spentOf(agent, event.at);
      const isShared = source === 'ledger' || source === 'session-budget';
      // A limit of tokens or money names the spending that it compared: with more than its own, it is that of a parent.
      const spent = source === 'budget' ? (context['totalTokens'] ?? context['cost']) : null;
      const isAbove =
        typeof spent === 'number' && spent > (context['totalTokens'] === undefined ? own.cost : own.tokens);
      if (!isShared && !isAbove) return null;
      return {
        sentence: `The subagent was stopped by a limit of an agent above it: ${inside(message)}; itself it had spent ${own.tokens} tokens in ${own.steps} steps.`,
        remedy:
          'Raise the limit of the parent, or give the subagent a limit of its own that ends it before with an answer.',
        evidence: {
          who: source ?? 'budget',
          reason,
          limit: context as JsonValue,
          own: { tokens: own.tokens, steps: own.steps, cost: own.cost },
        },
      };
    },
});
