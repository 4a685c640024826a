// The namespace `ToolExecution`: functions over the type, and its codec.
export { isWaiting } from '../graph/execution-state.ts';
export { isFinished, requested } from '../graph/tool-execution.ts';
import { toolExecutionCodec } from '../graph/document/codecs.ts';

/**
 * Writes the call, with the state of a subagent, as a document of plain JSON that shares no object with it; only
 * `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export const toJSON: typeof toolExecutionCodec.toJSON = toolExecutionCodec.toJSON;
/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof toolExecutionCodec.fromJSON = toolExecutionCodec.fromJSON;
