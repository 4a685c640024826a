// The namespace `ExecutionContinuation`: functions over the type, and its codec.
export {
  explain,
  fresh,
  highestSignal,
  of,
  shouldStop,
  withContinuationRequested,
  withStopSignal,
} from '../graph/execution-continuation.ts';
import { executionContinuationCodec } from '../graph/document/codecs.ts';

/**
 * Writes the signals and the request as a document of plain JSON that shares no object with them; only `fromJSON`
 * should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export const toJSON: typeof executionContinuationCodec.toJSON = executionContinuationCodec.toJSON;
/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof executionContinuationCodec.fromJSON = executionContinuationCodec.fromJSON;
