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

export const toJSON: typeof agentStateCodec.toJSON = agentStateCodec.toJSON;
export const fromJSON: typeof agentStateCodec.fromJSON = agentStateCodec.fromJSON;
