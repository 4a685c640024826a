// The namespace `ExecutionState`: functions over the type, and its codec.
export { children, errors, isFinished, pending, steps, usage } from '../graph/execution-state.ts';
import { executionStateCodec } from '../graph/document/codecs.ts';

/**
 * Writes the execution as a document of plain JSON that shares no object with it; only `fromJSON` should read its
 * fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export const toJSON: typeof executionStateCodec.toJSON = executionStateCodec.toJSON;
/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof executionStateCodec.fromJSON = executionStateCodec.fromJSON;
