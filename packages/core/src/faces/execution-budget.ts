// The namespace `ExecutionBudget`: functions over the type, and its codec.
export { budgetView as view } from '../graph/limits/budget-view.ts';
export {
  cappedBy,
  exceeded,
  isEmpty,
  isExhausted,
  of,
  remaining,
  unlimited,
} from '../graph/limits/execution-budget.ts';
import { executionBudgetCodec } from '../graph/document/codecs.ts';

/**
 * The budget as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds what JSON cannot say.
 */
export const toJSON: typeof executionBudgetCodec.toJSON = executionBudgetCodec.toJSON;
/**
 * Reads what `toJSON` gave, of this version or an older one; unknown data is validated, and what is given is kept by nobody.
 * @throws AgentError `state-invalid` naming the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof executionBudgetCodec.fromJSON = executionBudgetCodec.fromJSON;
