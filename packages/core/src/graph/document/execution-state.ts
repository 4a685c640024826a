// The namespace `ExecutionState`: functions over the type, and its codec.
export { children, errors, isFinished, pending, steps, usage } from '../execution-state.ts';
import type { Env } from '../env.ts';
import type { ExecutionState } from '../types.ts';
import { fromDocument, type StateDocument, toDocument } from './document.ts';
import { executionShape } from './state-shape.ts';

/**
 * Writes the execution as a document of plain JSON that shares no object with it; only `fromJSON` should read its
 * fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(execution: ExecutionState): StateDocument {
  return toDocument('execution-state', execution, executionShape);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env): ExecutionState {
  return fromDocument('execution-state', document, executionShape, env);
}
