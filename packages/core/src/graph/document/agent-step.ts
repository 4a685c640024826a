// The namespace `AgentStep`: functions over the type, and its codec.
export * from '../agent-step.ts';
import type { Env } from '../env.ts';
import type { AgentStep } from '../types.ts';
import { fromDocument, type StateDocument, toDocument } from './document.ts';
import { stepShape } from './step-shape.ts';

/**
 * Writes the step as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(step: AgentStep): StateDocument {
  return toDocument('agent-step', step, stepShape);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env): AgentStep {
  return fromDocument('agent-step', document, stepShape, env);
}
