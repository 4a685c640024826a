// The namespace `ExecutionState`: functions over the type, and its codec.
export { children, errors, isFinished, pending, steps, usage } from '../execution-state.ts';
import type { ExecutionState } from '../types.ts';
import { readerOf, writerOf } from './document.ts';
import { executionShape } from './state-shape.ts';

/** Writes an execution as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<ExecutionState>('execution-state', executionShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export const fromJSON = /* @__PURE__ */ readerOf<ExecutionState>('execution-state', executionShape);
