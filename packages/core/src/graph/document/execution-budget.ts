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
import type { Env } from '../env.ts';
import type { ExecutionBudget } from '../execution-budget.ts';
import { fromDocument, type StateDocument, toDocument } from './document.ts';
import { budgetShape } from './state-shape.ts';

/**
 * Writes the budget as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(budget: ExecutionBudget): StateDocument {
  return toDocument('execution-budget', budget, budgetShape);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env): ExecutionBudget {
  return fromDocument('execution-budget', document, budgetShape, env);
}
