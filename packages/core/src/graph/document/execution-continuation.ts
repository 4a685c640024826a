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
import type { ExecutionContinuation } from '../execution-continuation.ts';
import type { Env } from '../env.ts';
import { fromDocument, writerOf } from './document.ts';
import { continuationShape } from './state-shape.ts';

/** Writes the signals and the request as a document; see `AgentState.toJSON`. @throws AgentError `state-invalid` for what JSON cannot hold */
export const toJSON = /* @__PURE__ */ writerOf<ExecutionContinuation>(
  'execution-continuation',
  continuationShape,
);

/** Reads a document of `toJSON`; see `AgentState.fromJSON`. @throws AgentError `state-invalid`, `state-version-unsupported` */
export function fromJSON(document: unknown, env?: Env): ExecutionContinuation {
  return fromDocument('execution-continuation', document, continuationShape, env);
}
