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
 * The signals and the request as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds what JSON cannot say.
 */
export const toJSON: typeof executionContinuationCodec.toJSON = executionContinuationCodec.toJSON;
/**
 * Reads what `toJSON` gave, of this version or an older one; unknown data is validated, and what is given is kept by nobody.
 * @throws AgentError `state-invalid` naming the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof executionContinuationCodec.fromJSON = executionContinuationCodec.fromJSON;
