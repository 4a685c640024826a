import * as errors from '../../kit/errors.ts';
import { copyJson } from '../../kit/json.ts';
import type { Message } from '../message.ts';
import { empty, type MessageSection } from '../message-store.ts';
import type { AgentState, ExecutionState, StepExecution } from '../types.ts';
import { fromJSON, toJSON } from './agent-state.ts';
import { maxDepth } from './document.ts';
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
import { type DecodeContext, decodeAgentState, decodeExecution, decodeStepExecution } from './decode.ts';
import type { EncodedAgentState, EncodedExecution, EncodedStepExecution } from './schema.ts';

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
  return part((ctx) => encodeExecution(execution, ctx, toJSON));
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

/** A part as it was read, with its validated body. */
export type StoredPart<Encoded> = Omit<DocumentPart, 'body'> & { readonly body: Encoded };

/** The fields stored beside the part of a state. */
export type StateFields = Pick<AgentState, 'texts' | 'retained' | 'plugins'> & {
  readonly sections: readonly MessageSection[];
  readonly stepExecutions: readonly StepExecution[];
};

/** Assembles a state from its parts. @throws AgentError `state-invalid` with the path, as all functions here. */
export function putStateTogether(part: StoredPart<EncodedAgentState>, fields: StateFields): AgentState {
  const { sections, plugins, texts, retained, stepExecutions } = fields;
  const state = decodeAgentState(part.body, context(part));
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
export function putStepTogether(part: StoredPart<EncodedStepExecution>, path: string): StepExecution {
  return decodeStepExecution(part.body, context(part), path);
}

/** Assembles a finished execution from its part. */
export function putRunTogether(part: StoredPart<EncodedExecution>, path: string): ExecutionState {
  const child = (document: unknown): AgentState => fromJSON(document);
  return decodeExecution(part.body, { ...context(part), child }, path);
}

function context({ messages, hashes, children }: StoredPart<unknown>): DecodeContext {
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
