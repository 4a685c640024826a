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
import { readerOf, writerOf } from './document.ts';
import { budgetShape } from './state-shape.ts';

/** Writes a budget as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<ExecutionBudget>('execution-budget', budgetShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export const fromJSON = /* @__PURE__ */ readerOf<ExecutionBudget>('execution-budget', budgetShape);
