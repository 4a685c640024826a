// The namespace `StepExecution`: its codec.
import type { StepExecution } from '../types.ts';
import type { Env } from '../env.ts';
import { fromDocument, writerOf } from './document.ts';
import { stepExecutionShape } from './state-shape.ts';

/** Writes a finished step with its times as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<StepExecution>('step-execution', stepExecutionShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export function fromJSON(document: unknown, env?: Env): StepExecution {
  return fromDocument('step-execution', document, stepExecutionShape, env);
}
