// The namespace `ExecutionContinuation`: functions over the type, and its codec.
export * from '../graph/execution-continuation.ts';
import { executionContinuationCodec } from '../graph/document/codecs.ts';

export const toJSON: typeof executionContinuationCodec.toJSON = executionContinuationCodec.toJSON;
export const fromJSON: typeof executionContinuationCodec.fromJSON = executionContinuationCodec.fromJSON;
