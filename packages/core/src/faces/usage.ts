// The namespace `Usage`: tokens and money.
export { add, isNone, none, of, sum } from '../graph/usage.ts';
