// The namespace `AgentState`: all functions over the root of the graph. The constructors also load the views, so that
// a page that begins with such a state renders it at once, on a server too.
import { create as createState } from '../graph/agent-state/create.ts';
import { agentStateCodec } from '../graph/document/codecs.ts';
import { allViews } from '../session/conversation/all-views.ts';
import { bringViews } from '../session/conversation/later-views.ts';

export * from '../graph/agent-state/accessors.ts';
export * from '../graph/agent-state/context-transitions.ts';
export { debug } from '../graph/agent-state/debug.ts';
export {
  withError,
  withExecutionCompleted,
  withExecutionContinued,
  withExecutionStatus,
  withFailure,
  withStopSignal,
} from '../graph/agent-state/execution-transitions.ts';
export { rememberedDecisions, withoutDecisions } from '../graph/agent-state/remembered-decisions.ts';
export { withCurrentStep, withCurrentStepCompleted } from '../graph/agent-state/step-transitions.ts';
export { withApproval, withOutput, withRejection } from '../run/answers.ts';

/**
 * Creates an agent state that has not run yet. Values are copied: messages as `Message.of` does, the rest as JSON.
 * @throws AgentError `id-invalid` for an id that is not a UUID, `message-invalid` for a value that is no message,
 * `llm-settings-secret` when a setting looks like a secret.
 */
export const create: typeof createState = (init, env) => {
  bringViews(allViews);
  return createState(init, env);
};

/**
 * Writes the state as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export const toJSON: typeof agentStateCodec.toJSON = agentStateCodec.toJSON;
/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export const fromJSON: typeof agentStateCodec.fromJSON = (document) => {
  bringViews(allViews);
  return agentStateCodec.fromJSON(document);
};
