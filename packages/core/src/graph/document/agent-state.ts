// The codec of the root of the graph.
import type { Env } from '../env.ts';
import type { AgentState } from '../types.ts';
import { fromDocument, type StateDocument, toDocument, type WarnReading } from './document.ts';
import { stateShape } from './state-shape.ts';

/**
 * Writes the state as a document of plain JSON that shares no object with it; only `fromJSON` should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(state: AgentState): StateDocument {
  return toDocument('agent-state', state, stateShape, state.texts);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * `warn` receives the path of everything that was left out: settings that look like secrets.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env, warn?: WarnReading): AgentState {
  return fromDocument('agent-state', document, stateShape, env, warn);
}
