import { copyJson } from '../../kit/copy-json.ts';
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

/** A piece of a document for whoever keeps its parts apart: what the body names by place stands beside it. */
export type DocumentPart = {
  readonly body: object;
  readonly messages: readonly Message[];
  /** The hashes of the texts. */
  readonly hashes: readonly string[];
  readonly children: readonly AgentState[];
};

/**
 * A state without its messages, retained messages, plugins, texts and archived steps; only what the step in flight
 * speaks of is in the part.
 * @throws AgentError `state-invalid`, as all functions here, for what is no JSON and could not be read again.
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

/** A finished step. */
export function takeStepApart(entry: StepExecution): DocumentPart {
  return part((ctx, child) => encodeStepExecution(entry, ctx, child));
}

/** A finished execution, whole but for its messages: the states of its children are documents in its body. */
export function takeRunApart(execution: ExecutionState): DocumentPart {
  return part((ctx) => encodeExecution(execution, ctx, agentStateCodec.toJSON));
}

/** A message as JSON. */
export function takeMessage(message: Message): object {
  return ownJson(encodeMessage(message));
}

/** A copy of what has to be JSON. */
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
