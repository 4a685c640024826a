// The namespace `ExecutionContinuation`: functions over the type, and its codec.
export * from '../continuation/execution-continuation.ts';
import { executionContinuationCodec } from '../codec/codecs.ts';

export const toJSON: typeof executionContinuationCodec.toJSON = executionContinuationCodec.toJSON;
export const fromJSON: typeof executionContinuationCodec.fromJSON = executionContinuationCodec.fromJSON;
