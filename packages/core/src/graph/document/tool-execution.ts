// The namespace `ToolExecution`: functions over the type, and its codec.
export { isWaiting } from '../execution-state.ts';
export { isFinished, ofCall, subagentName } from '../tool-execution.ts';
import type { Env } from '../env.ts';
import type { ToolExecution } from '../types.ts';
import { fromDocument, type StateDocument, toDocument } from './document.ts';
import { callShape } from './step-shape.ts';

/**
 * Writes the call, with the state of a subagent, as a document of plain JSON that shares no object with it; only
 * `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(execution: ToolExecution): StateDocument {
  return toDocument('tool-execution', execution, callShape);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env): ToolExecution {
  return fromDocument('tool-execution', document, callShape, env);
}
