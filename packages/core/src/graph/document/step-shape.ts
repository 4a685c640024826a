import type { ValueOf } from '../../kit/check.ts';
import * as is from '../../kit/check.ts';
import { equalJson, jsonKey, type JsonObject } from '../../kit/json.ts';
import { work } from '../../kit/work.ts';
import type { InferenceResponse } from '../inference-response.ts';
import { readSettings } from '../llm-config.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../message.ts';
import * as nouns from '../shapes.ts';
import { outcomes } from '../tool-execution.ts';
import type {
  AgentState,
  AgentStep,
  PluginWrite,
  SentRange,
  SentRequest,
  ToolApproval,
  ToolExecution,
} from '../types.ts';
import { of as usageOf, type Usage } from '../usage.ts';
import { rangesShape } from './message-ranges.ts';
import {
  join,
  listOf,
  throwMissing,
  renameField,
  nothingSaid,
  storedObject,
  type ObjectShape,
  type Said,
  type Shape,
  shapeOf,
  type Stored,
  uuid,
  whole,
  withFields,
} from './shape.ts';

const usageFields = shapeOf(nouns.usage);
export const usageShape: ObjectShape<Usage> = {
  ...usageFields,
  decode: (stored: never, ctx, path) => usageOf(usageFields.decode(stored, ctx, path)),
};

const errorShape = shapeOf(nouns.error);
const responseShape = storedObject<InferenceResponse>({ ...nouns.response.fields, usage: whole(usageShape) });

/** A text of the state, as its index in the texts of the document. */
const textShape: Shape<string> = {
  check: is.count,
  encode: (hash, { textAt }) => textAt(hash),
  decode: (at: number, { texts }, path) => texts[at]?.[0] ?? throwMissing(path, `there is no text ${at}`),
};

const place = is.either(is.count, is.text);
type StoredRange = readonly [string | null, number | string, number | string, number];
/** Section, first and last message and their count: indexes into the table, or ids where there is no section. */
const rangeShape: Shape<SentRange> = {
  check: is.tuple(is.nullable(is.text), place, place, is.count),
  encode({ section, first, last, count: length }, { table }): StoredRange {
    if (section === null) return [null, first, last, length];
    // An execution written alone has no sections, so the ids stay.
    const placeOf = (id: string): number | string => (table.placeOf(id) < 0 ? id : table.placeOf(id));
    return [section, placeOf(first), placeOf(last), length];
  },
  decode([section, first, last, length]: StoredRange, { table }, path) {
    const idOf = (at: number | string): string =>
      typeof at === 'string' ? at : (table[at]?.id ?? throwMissing(path, `there is no message ${at}`));
    return { section, first: idOf(first), last: idOf(last), count: length };
  },
};

/** Settings, read without the secrets that an older version saved. */
export const settingsShape: Shape<JsonObject> = {
  check: is.jsonObject,
  decode(stored: JsonObject, { warn }, path) {
    const { settings, leftOut } = readSettings(stored);
    for (const at of leftOut) warn(join(path, String(at)), 'it looks like a secret and was left out');
    return settings;
  },
};

const sentShape = storedObject<SentRequest>({
  ...nouns.sent.fields,
  settings: is.or(settingsShape, {}),
  prompt: textShape,
  tools: textShape,
  responseFormat: is.or(textShape, null),
  messages: is.or(listOf(rangeShape), []),
  extra: is.or(rangesShape, []),
  omitted: is.or(
    listOf(storedObject<SentRequest['omitted'][number]>({ range: rangeShape, reason: is.text })),
    [],
  ),
});

const answered = is.plain<NonNullable<ToolApproval['answered']>>({ form: is.jsonObject, answer: is.json });
/** A question, written with all its fields: few calls have one. */
const approvalShape: ObjectShape<ToolApproval> = {
  ...storedObject<ToolApproval>({
    reason: is.or(is.text, null),
    cause: is.or(is.literal('not-stored', 'fork'), null),
    decision: is.or(nouns.decision, null),
    comment: is.or(is.text, null),
    isEdited: is.or(is.flag, false),
    isJoint: is.optional(is.literal(true)),
    by: is.optional(is.text),
    form: is.optional(is.jsonObject),
    answer: is.optional(is.json),
    answered: is.optional(answered),
    isInsisted: is.optional(is.literal(true)),
  }),
  encode: (approval) => ({ ...approval }),
};

/** The fields of a call that a message of its step mostly holds already. */
const held = is.objectOf({
  name: is.optional(is.text),
  input: is.optional(is.json),
  providerCallId: is.optional(is.text),
  result: is.optional(is.json),
  /** The place of the result: the message that answers the call, or none. */
  resultIn: is.optional(is.literal('message', 'nowhere')),
});
type StoredCall = { readonly id: string } & ValueOf<typeof held>;

/** The state of a subagent, which is checked as a document of its own. */
const childShape: Shape<AgentState> = {
  check: is.checkBy((stored) => stored !== undefined, 'expected a state'),
  encode: (state, { child }) => child(state),
  decode: (stored, { child }, path) => child(stored, path),
};
const callFields = storedObject<Omit<ToolExecution, 'toolCall' | 'result'>>({
  id: uuid,
  status: is.literal(...outcomes, 'requested', 'awaiting-approval', 'awaiting-output', 'running'),
  error: is.or(nouns.error, null),
  startedAt: is.or(is.timestamp, null),
  completedAt: is.or(is.timestamp, null),
  durationMs: is.or(is.number, null),
  childState: is.or(childShape, null),
  pluginWrites: is.or(
    is.list(is.plain<PluginWrite>({ pluginId: is.text, fromRevision: is.count, toRevision: is.count })),
    [],
  ),
  progress: is.or(is.json, null),
  settledAt: is.or(is.timestamp, null),
  approval: is.or(approvalShape, null),
  isElsewhere: is.optional(is.literal(true)),
});

export const callShape: ObjectShape<ToolExecution> = {
  check: withFields(callFields, held.fields),
  encode(execution, ctx) {
    const { toolCall, result } = execution;
    const { id, name, input, providerCallId } = toolCall;
    const call = ctx.said.calls.get(id);
    const isCallKnown = call !== undefined && call.toolName === name && equalJson(call.input, input);
    const known = ctx.said.results.get(id);
    const isResultKnown = 'result' in execution && known !== undefined && equalJson(known.output, result);
    return {
      ...callFields.encode(execution, ctx),
      ...(isCallKnown ? {} : { name, input }),
      ...(providerCallId === null ? {} : { providerCallId }),
      ...(isResultKnown ? { resultIn: 'message' } : result === undefined ? {} : { result }),
    };
  },
  decode(stored: StoredCall, ctx, path) {
    const { id, input, providerCallId = null, result } = stored;
    const call = stored.name === undefined ? ctx.said.calls.get(id) : undefined;
    const name =
      stored.name ??
      call?.toolName ??
      throwMissing(path, `call ${JSON.stringify(id)} is in no message of its step`);
    const isHeld = stored.resultIn === 'message' && result === undefined;
    const held = isHeld ? ctx.said.results.get(id) : undefined;
    if (isHeld && held === undefined)
      throwMissing(join(path, 'result'), 'the message that holds it is missing');
    const found = result === undefined ? held?.output : result;
    return {
      ...callFields.decode(stored as never, ctx, path),
      toolCall: { id, name, input: input ?? call?.input ?? null, providerCallId },
      ...(found === undefined ? {} : { result: found }),
    };
  },
};

function saidBy(messages: readonly Message[]): Said {
  const calls = new Map<string, ToolCallPart>();
  const results = new Map<string, ToolResultPart>();
  for (const { parts } of messages) {
    work.units += parts.length;
    for (const part of parts) {
      if (part.type === 'tool-call' && !calls.has(part.toolCallId)) calls.set(part.toolCallId, part);
      if (part.type === 'tool-result' && !results.has(part.toolCallId)) results.set(part.toolCallId, part);
    }
  }
  return { calls, results };
}

const stepFields = storedObject<Omit<AgentStep, 'errors' | 'outputMessages'>>({
  id: uuid,
  sent: is.or(sentShape, null),
  inferenceResponse: renameField('response', is.or(responseShape, null)),
  toolExecutions: renameField('tools', is.or(listOf(callShape), [])),
  extraUsage: is.or(usageShape, null),
});

type StoredStep = {
  readonly output?: readonly number[];
  readonly tools?: readonly unknown[];
  /** A number is the error of the tool execution with that index. */
  readonly errors?: readonly (number | Stored)[];
};

export const stepShape: ObjectShape<AgentStep> = {
  check: withFields(stepFields, {
    output: is.optional(rangesShape),
    errors: is.optional(is.list(is.either(is.count, nouns.error))),
  }),
  encode(step, ctx) {
    const { outputMessages, toolExecutions, errors } = step;
    const said = toolExecutions.length === 0 ? nothingSaid : saidBy(outputMessages);
    const stored = {
      ...stepFields.encode(step, { ...ctx, said }),
      ...(outputMessages.length === 0 ? {} : { output: rangesShape.encode(outputMessages, ctx) }),
    };
    if (errors.length === 0) return stored;
    const toolOf = toolsByError(toolExecutions);
    return {
      ...stored,
      errors: errors.map((error) => toolOf.get(jsonKey(error)) ?? errorShape.encode(error, ctx)),
    };
  },
  decode(stored: StoredStep, ctx, path) {
    const outputMessages = rangesShape.decode((stored.output ?? []) as never, ctx, join(path, 'output'));
    const said = stored.tools === undefined ? nothingSaid : saidBy(outputMessages);
    const step = stepFields.decode(stored as never, { ...ctx, said }, path);
    const errors = (stored.errors ?? []).map((error, index) => {
      const at = join(path, `errors.${index}`);
      if (typeof error !== 'number') return errorShape.decode(error as never, ctx, at);
      return (
        step.toolExecutions[error]?.error ?? throwMissing(at, `there is no error of tool execution ${error}`)
      );
    });
    return { ...step, outputMessages, errors };
  },
};

/** The index of the first tool execution with each error, by the content of the error. */
function toolsByError(toolExecutions: readonly ToolExecution[]): ReadonlyMap<string | null, number> {
  const places = new Map<string | null, number>();
  for (const [at, { error }] of toolExecutions.entries()) {
    const key = error === null ? null : jsonKey(error);
    if (key !== null && !places.has(key)) places.set(key, at);
  }
  return places;
}
