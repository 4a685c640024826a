import * as errors from '../../kit/errors.ts';
import { systemEnv } from '../env.ts';
import type { Message } from '../message.ts';
import type { MessageSection } from '../message-store.ts';
import type { AgentState, ExecutionState, StepExecution } from '../types.ts';
import { agentStateCodec } from './codecs.ts';
import { type DecodeContext, decodeAgentState, decodeExecution, decodeStepExecution } from './decode.ts';
import { decodeMessage } from './decode-message.ts';
import { validate } from './document.ts';
import { messageSchema } from './message-schema.ts';
import { agentStateSchema, executionSchema, pluginsSchema, stepExecutionSchema } from './schema.ts';
import type { DocumentPart } from './take-apart.ts';

/** A part as it was stored, with an unvalidated body. */
export type StoredPart = Omit<DocumentPart, 'body'> & { readonly body: unknown };

/** The fields stored beside the part of a state. */
export type StateFields = Pick<AgentState, 'texts' | 'retained' | 'plugins'> & {
  readonly sections: readonly MessageSection[];
  readonly stepExecutions: readonly StepExecution[];
};

/** Assembles a state from its parts. @throws AgentError `state-invalid` with the path, as all functions here. */
export function putStateTogether(part: StoredPart, fields: StateFields, path: string): AgentState {
  const { sections, plugins, texts, retained, stepExecutions } = fields;
  const state = decodeAgentState(validate(agentStateSchema, part.body, path), context(part));
  const { execution } = state;
  return {
    ...state,
    context: { ...state.context, store: { sections } },
    plugins,
    texts,
    retained,
    execution: execution === null ? null : { ...execution, stepExecutions },
  };
}

/** Assembles a finished step from its part. */
export function putStepTogether(part: StoredPart, path: string): StepExecution {
  return decodeStepExecution(validate(stepExecutionSchema, part.body, path), context(part), path);
}

/** Assembles a finished execution from its part. */
export function putRunTogether(part: StoredPart, path: string): ExecutionState {
  const child = (document: unknown): AgentState => agentStateCodec.fromJSON(document);
  return decodeExecution(validate(executionSchema, part.body, path), { ...context(part), child }, path);
}

/** Reads the states of plugins. */
export function putPlugins(body: unknown, path: string): AgentState['plugins'] {
  return validate(pluginsSchema, body, path);
}

/** Reads a message. */
export function putMessage(body: unknown, path: string): Message {
  return decodeMessage(validate(messageSchema, body, path));
}

function context({ messages, hashes, children }: StoredPart): DecodeContext {
  return {
    table: messages,
    texts: hashes.map((hash) => [hash, null]),
    env: systemEnv,
    child(at, path) {
      const found = children[at as number];
      if (found === undefined) throw errors.stateInvalid({ path, what: `there is no child ${String(at)}` });
      return found;
    },
    warn: () => undefined,
  };
}
