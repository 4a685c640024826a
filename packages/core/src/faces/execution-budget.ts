// The namespace `ExecutionBudget`: functions over the type, and its codec.
export * from '../graph/limits/execution-budget.ts';
import { executionBudgetCodec } from '../graph/document/codecs.ts';

export const toJSON: typeof executionBudgetCodec.toJSON = executionBudgetCodec.toJSON;
export const fromJSON: typeof executionBudgetCodec.fromJSON = executionBudgetCodec.fromJSON;
