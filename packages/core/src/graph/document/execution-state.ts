// The namespace `ExecutionState`: functions over the type, and its codec.
export { children, errors, isFinished, pending, steps, usage } from '../execution-state.ts';
import type { ExecutionState } from '../types.ts';
import type { Env } from '../env.ts';
import { fromDocument, writerOf } from './document.ts';
import { executionShape } from './state-shape.ts';

/** Writes an execution as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<ExecutionState>('execution-state', executionShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export function fromJSON(document: unknown, env?: Env): ExecutionState {
  return fromDocument('execution-state', document, executionShape, env);
}
