// The namespace `ToolExecution`: functions over the type, and its codec.
export { isWaiting } from '../execution-state.ts';
export { isFinished, ofCall, subagentName } from '../tool-execution.ts';
import type { ToolExecution } from '../types.ts';
import type { Env } from '../env.ts';
import { fromDocument, writerOf } from './document.ts';
import { callShape } from './step-shape.ts';

/** Writes a call, with the state of a subagent, as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<ToolExecution>('tool-execution', callShape);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export function fromJSON(document: unknown, env?: Env): ToolExecution {
  return fromDocument('tool-execution', document, callShape, env);
}
