// The namespace `AgentStep`: functions over the type, and its codec.
export * from '../agent-step.ts';
import type { AgentStep } from '../types.ts';
import type { Env } from '../env.ts';
import { fromDocument, writerOf } from './document.ts';
import { stepShape } from './step-shape.ts';

/** Writes a step as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<AgentStep>('agent-step', stepShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export function fromJSON(document: unknown, env?: Env): AgentStep {
  return fromDocument('agent-step', document, stepShape, env);
}
