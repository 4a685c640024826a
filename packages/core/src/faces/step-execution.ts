// The namespace `StepExecution`: its codec.
import { stepExecutionCodec } from '../graph/document/codecs.ts';

/**
 * The finished step, times included as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds what JSON cannot say.
 */
export const toJSON: typeof stepExecutionCodec.toJSON = stepExecutionCodec.toJSON;
/**
 * Reads what `toJSON` gave, of this version or an older one; unknown data is validated, and what is given is kept by nobody.
 * @throws AgentError `state-invalid` naming the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof stepExecutionCodec.fromJSON = stepExecutionCodec.fromJSON;
