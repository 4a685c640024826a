// The namespace `AgentState`: all functions over the root of the graph, and the answers to its waiting calls.
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
export { fromJSON, toJSON } from '../graph/document/agent-state.ts';
export { withApproval, withOutput, withRejection } from './answer-call.ts';
