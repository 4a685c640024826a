// The namespace `StepExecution`: its codec.
import type { Env } from '../env.ts';
import type { StepExecution } from '../types.ts';
import { fromDocument, type StateDocument, toDocument } from './document.ts';
import { stepExecutionShape } from './state-shape.ts';

/**
 * Writes the finished step with its times as a document of plain JSON that shares no object with it; only `fromJSON`
 * should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(entry: StepExecution): StateDocument {
  return toDocument('step-execution', entry, stepExecutionShape);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env): StepExecution {
  return fromDocument('step-execution', document, stepExecutionShape, env);
}
