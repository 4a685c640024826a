import * as errors from '../kit/errors.ts';

/**
 * What a tool's rule says of a call: `false` runs it, `true` asks the user, `{ ask: reason }` asks and shows why,
 * `{ deny: reason }` refuses it and tells the model why.
 */
export type ApprovalDecision = boolean | { readonly ask: string } | { readonly deny: string };

/** A decision in one shape; `reason` is null for a question without one. */
export type CheckedDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason: string | null }
  | { readonly kind: 'deny'; readonly reason: string };

/**
 * Checks what a `needsApproval` function returned.
 * @throws AgentError `agent-invalid` for anything else, so that a rule with a mistake never lets a call through.
 */
export function checkDecision(decision: unknown, toolName: string): CheckedDecision {
  if (decision === false) return { kind: 'allow' };
  if (decision === true) return { kind: 'ask', reason: null };
  const { ask, deny } = (decision ?? {}) as { ask?: unknown; deny?: unknown };
  // What refuses wins over what asks.
  if (typeof deny === 'string') return { kind: 'deny', reason: deny };
  if (typeof ask === 'string') return { kind: 'ask', reason: ask };
  throw errors.agentInvalid(
    `Tool ${JSON.stringify(toolName)}: its needsApproval returned neither a boolean nor { ask: reason } or { deny: reason }.`,
    { toolName },
  );
}
