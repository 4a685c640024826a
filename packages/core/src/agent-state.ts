// The namespace `AgentState`: everything that can be done with the root of the graph.
export * from './state/accessors.ts';
export * from './state/context-transitions.ts';
export { create } from './state/create.ts';
export { debug } from './state/debug.ts';
export {
  withError,
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
  withStopSignal,
} from './state/execution-transitions.ts';
export { withCurrentStep, withCurrentStepCompleted } from './state/step-transitions.ts';
