import * as errors from '../../kit/errors.ts';
import { copyJson } from '../../kit/json.ts';
import type { Message } from '../message.ts';
import { empty, type MessageSection } from '../message-store.ts';
import type { AgentState, ExecutionState, StepExecution } from '../types.ts';
import { agentStateCodec } from './codecs.ts';
import { maxDepth, validate } from './document.ts';
import {
  type EncodeContext,
  encodeAgentState,
  encodeContext,
  type EncodeChild,
  encodeExecution,
  encodeStepExecution,
  encodeMessage,
} from './encode.ts';
import { systemEnv } from '../env.ts';
import {
  type DecodeContext,
  decodeAgentState,
  decodeExecution,
  decodeStepExecution,
  decodeMessage,
} from './decode.ts';
import {
  messageSchema,
  agentStateSchema,
  executionSchema,
  pluginsSchema,
  stepExecutionSchema,
} from './schema.ts';

/**
 * A piece of a document that is stored in parts: the messages, texts and children that its body refers to by index.
 */
export type DocumentPart = {
  readonly body: object;
  readonly messages: readonly Message[];
  /** The hashes of the texts. */
  readonly hashes: readonly string[];
  readonly children: readonly AgentState[];
};

/**
 * Encodes a state without its messages, retained messages, plugins, texts and archived steps. The part holds only what
 * the step in flight refers to.
 * @throws AgentError `state-invalid`, as all functions here, for a value that is no JSON and could not be read again.
 */
export function takeStateApart(state: AgentState): DocumentPart {
  const { context, execution } = state;
  const bare = {
    ...state,
    plugins: {},
    retained: {},
    context: { ...context, store: empty() },
    execution: execution === null ? null : { ...execution, stepExecutions: [] },
  };
  return part((ctx, child) => encodeAgentState(bare, ctx, child), state.texts);
}

/** Encodes a finished step. */
export function takeStepApart(entry: StepExecution): DocumentPart {
  return part((ctx, child) => encodeStepExecution(entry, ctx, child));
}

/** Encodes a finished execution without its messages. The states of its children are documents in its body. */
export function takeRunApart(execution: ExecutionState): DocumentPart {
  return part((ctx) => encodeExecution(execution, ctx, agentStateCodec.toJSON));
}

/** Encodes a message as JSON. */
export function takeMessage(message: Message): object {
  return ownJson(encodeMessage(message));
}

/** Copies a value that has to be JSON. */
export function ownJson<Value>(value: Value): Value {
  return copyJson(value, { maxDepth, refuse: (path, what) => errors.stateInvalid({ path, what }) });
}

function part(
  encode: (ctx: EncodeContext, child: EncodeChild) => object,
  texts: AgentState['texts'] = {},
): DocumentPart {
  const ctx = encodeContext(texts);
  const children: AgentState[] = [];
  const body = ownJson(encode(ctx, (child) => children.push(child) - 1));
  return { body, messages: ctx.table.messages, hashes: ctx.texts.map(([hash]) => hash), children };
}

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
