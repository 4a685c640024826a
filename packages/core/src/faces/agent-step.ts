// The namespace `AgentStep`: functions over the type, and its codec.
export * from '../graph/agent-step.ts';
import { agentStepCodec } from '../graph/document/codecs.ts';

export const toJSON: typeof agentStepCodec.toJSON = agentStepCodec.toJSON;
export const fromJSON: typeof agentStepCodec.fromJSON = agentStepCodec.fromJSON;
