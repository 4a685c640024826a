// The namespace `AgentState`: all functions over the root of the graph.
import { agentStateCodec } from '../graph/document/codecs.ts';

export * from '../graph/agent-state/accessors.ts';
export { create, debug } from '../graph/agent-state/create.ts';
export { rememberedDecisions, withoutDecisions } from '../graph/agent-state/remembered.ts';
export {
  forNextExecution,
  withCurrentStep,
  withCurrentStepCompleted,
  withError,
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
  withLlmConfig,
  withMessages,
  withMessageStore,
  withMetadata,
  withStopSignal,
  withSystemPrompt,
  withUserMessage,
} from '../graph/agent-state/transitions.ts';
export { withApproval, withOutput, withRejection } from '../run/answer-call.ts';

/**
 * Writes the state as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export const toJSON: typeof agentStateCodec.toJSON = agentStateCodec.toJSON;
/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof agentStateCodec.fromJSON = agentStateCodec.fromJSON;
