import * as errors from '../kit/errors.ts';

/**
 * The decision of a tool's rule about a call: `false` runs it, `true` asks the user, `{ ask: reason }` asks and shows
 * the reason, `{ deny: reason }` rejects it and tells the model the reason. Calls of a step that ask with `together` start
 * when the last of them is answered, those of its subagents too.
 */
export type ApprovalDecision =
  boolean | { readonly ask: string; readonly together?: boolean } | { readonly deny: string };

/** A decision in a uniform shape; `reason` is null for a question without one. */
export type CheckedDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason: string | null; readonly isJoint?: true }
  | { readonly kind: 'deny'; readonly reason: string };

/**
 * Checks the result of a `needsApproval` function.
 * @throws AgentError `agent-invalid` for any other value, so that a faulty rule never lets a call through.
 */
export function checkDecision(decision: unknown, toolName: string): CheckedDecision {
  if (decision === false) return { kind: 'allow' };
  if (decision === true) return { kind: 'ask', reason: null };
  const { ask, deny, together } = (decision ?? {}) as { ask?: unknown; deny?: unknown; together?: unknown };
  // A rejection takes precedence over a question.
  if (typeof deny === 'string') return { kind: 'deny', reason: deny };
  if (typeof ask === 'string')
    return { kind: 'ask', reason: ask, ...(together === true ? { isJoint: true } : {}) };
  const message = `Tool ${JSON.stringify(toolName)}: its needsApproval returned neither a boolean nor { ask: reason } or { deny: reason }.`;
  throw errors.agentInvalid(message, { toolName });
}
