// The namespace `Usage`: tokens and money.
export { priced } from '../graph/llm-config.ts';
export { add, isNone, none, of, sum } from '../graph/usage.ts';
