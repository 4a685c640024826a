import { copyJson } from '../../kit/json.ts';
import * as errors from '../../kit/errors.ts';
import type { Message } from '../message.ts';
import { empty } from '../message-store.ts';
import type { AgentState, ExecutionState, StepExecution } from '../types.ts';
import { agentStateCodec } from './codecs.ts';
import { maxDepth } from './document.ts';
import type { EncodeContext } from './encode-sent.ts';
import {
  encodeAgentState,
  encodeContext,
  type EncodeChild,
  encodeExecution,
  encodeStepExecution,
} from './encode.ts';
import { encodeMessage } from './encode-message.ts';

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
