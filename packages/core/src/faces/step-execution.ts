// The namespace `StepExecution`: its codec.
import { stepExecutionCodec } from '../graph/document/codecs.ts';

export const toJSON: typeof stepExecutionCodec.toJSON = stepExecutionCodec.toJSON;
export const fromJSON: typeof stepExecutionCodec.fromJSON = stepExecutionCodec.fromJSON;
