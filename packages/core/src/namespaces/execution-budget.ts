// The namespace `ExecutionBudget`: functions over the type, and its codec.
export * from '../budget/execution-budget.ts';
import { executionBudgetCodec } from '../codec/codecs.ts';

export const toJSON: typeof executionBudgetCodec.toJSON = executionBudgetCodec.toJSON;
export const fromJSON: typeof executionBudgetCodec.fromJSON = executionBudgetCodec.fromJSON;
