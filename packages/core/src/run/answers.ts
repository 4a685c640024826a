import type { RememberFor } from '../graph/agent-state/remembered.ts';
import { type Env, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonValue } from '../kit/json.ts';
import { withAnswer } from './answer-call.ts';

/**
 * Approves a waiting call, with edited arguments if there are any. @throws AgentError `approval-unknown`
 */
export function withApproval(
  state: AgentState,
  toolCallId: string,
  options: { input?: JsonValue; remember?: RememberFor } = {},
  env: Env = systemEnv,
): AgentState {
  return withAnswer(state, toolCallId, { type: 'approve', ...options }, env);
}

/** Rejects a waiting call and tells the model the reason. @throws AgentError `approval-unknown` */
export function withRejection(
  state: AgentState,
  toolCallId: string,
  options: { reason?: string; remember?: RememberFor } = {},
  env: Env = systemEnv,
): AgentState {
  return withAnswer(state, toolCallId, { type: 'reject', ...options }, env);
}

/** Sets the output of a call that the user interface answers. @throws AgentError `approval-unknown` */
export function withOutput(
  state: AgentState,
  toolCallId: string,
  output: JsonValue,
  env: Env = systemEnv,
): AgentState {
  return withAnswer(state, toolCallId, { type: 'respond', output }, env);
}
