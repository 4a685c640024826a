// The namespace `ExecutionState`: functions over the type, and its codec.
export * from '../graph/execution-state.ts';
import { executionStateCodec } from '../graph/document/codecs.ts';

export const toJSON: typeof executionStateCodec.toJSON = executionStateCodec.toJSON;
export const fromJSON: typeof executionStateCodec.fromJSON = executionStateCodec.fromJSON;
