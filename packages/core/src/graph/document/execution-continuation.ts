// The namespace `ExecutionContinuation`: functions over the type, and its codec.
export {
  explain,
  fresh,
  highestSignal,
  of,
  shouldStop,
  withContinuationRequested,
  withStopSignal,
} from '../execution-continuation.ts';
import type { Env } from '../env.ts';
import type { ExecutionContinuation } from '../execution-continuation.ts';
import { fromDocument, type StateDocument, toDocument } from './document.ts';
import { continuationShape } from './state-shape.ts';

/**
 * Writes the signals and the request as a document of plain JSON that shares no object with them; only `fromJSON`
 * should read its fields.
 * @throws AgentError `state-invalid` when it holds a value that JSON cannot hold.
 */
export function toJSON(continuation: ExecutionContinuation): StateDocument {
  return toDocument('execution-continuation', continuation, continuationShape);
}

/**
 * Reads a document of `toJSON`, of this version or an older one. The data is validated, and no part of it is kept.
 * @throws AgentError `state-invalid` naming the path of the error, `state-version-unsupported` for a newer version.
 */
export function fromJSON(document: unknown, env?: Env): ExecutionContinuation {
  return fromDocument('execution-continuation', document, continuationShape, env);
}
