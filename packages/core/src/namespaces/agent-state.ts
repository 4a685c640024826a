// The namespace `AgentState`: everything that can be done with the root of the graph.
export * from '../state/accessors.ts';
export * from '../state/context-transitions.ts';
export { create } from '../state/create.ts';
export { debug } from '../state/debug.ts';
export {
  withError,
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
  withStopSignal,
} from '../state/execution-transitions.ts';
export { withCurrentStep, withCurrentStepCompleted } from '../state/step-transitions.ts';
export { withApproval, withRejection } from '../state/approvals.ts';
import { agentStateCodec } from '../codec/codecs.ts';

export const toJSON: typeof agentStateCodec.toJSON = agentStateCodec.toJSON;
export const fromJSON: typeof agentStateCodec.fromJSON = agentStateCodec.fromJSON;
