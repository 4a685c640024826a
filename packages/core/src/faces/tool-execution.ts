// The namespace `ToolExecution`: functions over the type, and its codec.
export * from '../graph/tool-execution.ts';
import { toolExecutionCodec } from '../graph/document/codecs.ts';

/**
 * The call, a subagent's state included as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds what JSON cannot say.
 */
export const toJSON: typeof toolExecutionCodec.toJSON = toolExecutionCodec.toJSON;
/**
 * Reads what `toJSON` gave, of this version or an older one; unknown data is validated, and what is given is kept by nobody.
 * @throws AgentError `state-invalid` naming the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof toolExecutionCodec.fromJSON = toolExecutionCodec.fromJSON;
