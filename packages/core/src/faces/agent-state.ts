// The namespace `AgentState`: everything that can be done with the root of the graph.
export * from '../graph/agent-state/accessors.ts';
export * from '../graph/agent-state/context-transitions.ts';
export { create } from '../graph/agent-state/create.ts';
export { debug } from '../graph/agent-state/debug.ts';
export {
  withError,
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
  withStopSignal,
} from '../graph/agent-state/execution-transitions.ts';
export { withCurrentStep, withCurrentStepCompleted } from '../graph/agent-state/step-transitions.ts';
export { withApproval, withOutput, withRejection } from '../run/answers.ts';
import { agentStateCodec } from '../graph/document/codecs.ts';

/**
 * The state as a document of plain JSON that shares no object with it; only \`fromJSON\` should read its fields.
 * @throws AgentError `state-invalid` when it holds what JSON cannot say.
 */
export const toJSON: typeof agentStateCodec.toJSON = agentStateCodec.toJSON;
/**
 * Reads what \`toJSON\` gave, of this version or an older one; unknown data is validated, and what is given is kept by nobody.
 * @throws AgentError `state-invalid` naming the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof agentStateCodec.fromJSON = agentStateCodec.fromJSON;
