// The namespace `ExecutionBudget`: functions over the type, and its codec.
export {
  budgetView as view,
  cappedBy,
  stopSignals,
  isEmpty,
  isExhausted,
  of,
  remaining,
  unlimited,
} from '../execution-budget.ts';
import type { ExecutionBudget } from '../execution-budget.ts';
import type { Env } from '../env.ts';
import { fromDocument, writerOf } from './document.ts';
import { budgetShape } from './state-shape.ts';

/** Writes a budget as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<ExecutionBudget>('execution-budget', budgetShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export function fromJSON(document: unknown, env?: Env): ExecutionBudget {
  return fromDocument('execution-budget', document, budgetShape, env);
}
