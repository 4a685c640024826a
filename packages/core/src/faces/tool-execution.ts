// The namespace `ToolExecution`: functions over the type, and its codec.
export * from '../graph/tool-execution.ts';
import { toolExecutionCodec } from '../graph/document/codecs.ts';

export const toJSON: typeof toolExecutionCodec.toJSON = toolExecutionCodec.toJSON;
export const fromJSON: typeof toolExecutionCodec.fromJSON = toolExecutionCodec.fromJSON;
