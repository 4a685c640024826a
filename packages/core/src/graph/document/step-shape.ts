import * as z from 'zod/mini';
import { equalJson, jsonKey, type JsonObject } from '../../kit/json.ts';
import { work } from '../../kit/work.ts';
import type { ErrorInfo } from '../error-info.ts';
import type { InferenceResponse } from '../inference-response.ts';
import { readSettings } from '../llm-config.ts';
import type { Message, ToolCallPart, ToolResultPart } from '../message.ts';
import type { AgentState, AgentStep, SentRange, SentRequest, ToolApproval, ToolExecution } from '../types.ts';
import { of as usageOf, type Usage } from '../usage.ts';
import { outcome, rangesShape } from './message-shape.ts';
import {
  as,
  count,
  join,
  json,
  jsonObject,
  list,
  listOf,
  missing,
  renameField,
  nothingSaid,
  nullableText,
  object,
  type ObjectShape,
  optional,
  or,
  type Said,
  type Shape,
  type Stored,
  timestamp,
  uuid,
  whole,
  withFields,
} from './shape.ts';

const text = as(z.string());
const time = as(timestamp);
const number = as(z.number());
const tokens = or(as(z.number().check(z.nonnegative())), 0);

const usageFields = object<Usage>({
  inputTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  totalTokens: tokens,
  cost: or(number, null),
  isEstimated: optional(as(z.literal(true))),
});
export const usageShape: ObjectShape<Usage> = {
  ...usageFields,
  decode: (stored: Stored, ctx, path) => usageOf(usageFields.decode(stored as never, ctx, path)),
};

/** An error. Its causes are followed 8 deep when it is recorded, and 1,000 levels when it is read. */
export const errorShape: ObjectShape<ErrorInfo> = object<ErrorInfo>({
  name: text,
  message: text,
  code: or(text, null),
  data: or(as(jsonObject), {}),
  cause: or(
    {
      get schema() {
        return errorShape.schema;
      },
      encode: (cause: ErrorInfo, ctx) => errorShape.encode(cause, ctx),
      decode: (stored: never, ctx, path) => errorShape.decode(stored, ctx, path),
    },
    null,
  ),
});

const responseShape = object<InferenceResponse>({
  id: or(text, null),
  model: or(text, null),
  finishReason: as(z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other'])),
  explanation: optional(text),
  skippedFrames: optional(number),
  usage: whole(usageShape),
  durationMs: number,
  firstDeltaMs: or(number, null),
});

/** A text of the state, as its index in the texts of the document. */
const textShape: Shape<string> = {
  schema: count,
  encode: (hash, { textAt }) => textAt(hash),
  decode: (at: number, { texts }, path) => texts[at]?.[0] ?? missing(path, `there is no text ${at}`),
};

const place = z.union([count, z.string()]);
type StoredRange = readonly [string | null, number | string, number | string, number];
/** Section, first and last message and their count: indexes into the table, or ids where there is no section. */
const rangeShape: Shape<SentRange> = {
  schema: z.tuple([nullableText, place, place, count]),
  encode({ section, first, last, count: length }, { table }): StoredRange {
    if (section === null) return [null, first, last, length];
    // An execution written alone has no sections, so the ids stay.
    const placeOf = (id: string): number | string => (table.placeOf(id) < 0 ? id : table.placeOf(id));
    return [section, placeOf(first), placeOf(last), length];
  },
  decode([section, first, last, length]: StoredRange, { table }, path) {
    const idOf = (at: number | string): string =>
      typeof at === 'string' ? at : (table[at]?.id ?? missing(path, `there is no message ${at}`));
    return { section, first: idOf(first), last: idOf(last), count: length };
  },
};

/** Settings, read without the secrets that an older version saved. */
export const settingsShape: Shape<JsonObject> = {
  schema: jsonObject,
  decode(stored: JsonObject, { warn }, path) {
    const { settings, leftOut } = readSettings(stored);
    for (const at of leftOut) warn(join(path, String(at)), 'it looks like a secret and was left out');
    return settings;
  },
};

const sentShape = object<SentRequest>({
  inferenceId: text,
  model: or(text, null),
  settings: or(settingsShape, {}),
  toolChoice: or(
    as(z.union([z.enum(['auto', 'none', 'required']), z.object({ toolName: z.string() })])),
    'auto',
  ),
  prompt: textShape,
  tools: textShape,
  responseFormat: or(textShape, null),
  messages: or(list(rangeShape), []),
  tracesOf: optional(text),
  isCharged: optional(as(z.literal(true))),
  attempt: optional(number),
  extra: or(rangesShape, []),
  omitted: or(list(object<SentRequest['omitted'][number]>({ range: rangeShape, reason: text })), []),
});

/** A question, written with all its fields: few calls have one. */
const approvalShape: ObjectShape<ToolApproval> = {
  ...object<ToolApproval>({
    reason: or(text, null),
    cause: or(as(z.literal('not-stored')), null),
    decision: or(as(z.enum(['approved', 'rejected'])), null),
    comment: or(text, null),
    isEdited: or(as(z.boolean()), false),
    isJoint: optional(as(z.literal(true))),
    by: optional(text),
    form: optional(as(jsonObject)),
    answer: optional(as(json)),
    answered: optional(as(z.object({ form: jsonObject, answer: json }))),
    isInsisted: optional(as(z.literal(true))),
  }),
  encode: (approval) => ({ ...approval }),
};

const callFields = object<Omit<ToolExecution, 'toolCall' | 'result'>>({
  id: as(uuid),
  status: as(z.union([outcome, z.enum(['requested', 'awaiting-approval', 'awaiting-output', 'running'])])),
  error: or(errorShape, null),
  startedAt: or(time, null),
  completedAt: or(time, null),
  durationMs: or(number, null),
  childState: or(
    {
      schema: z.unknown(),
      encode: (state: AgentState, { child }) => child(state),
      decode: (stored, { child }, path) => child(stored, path),
    },
    null,
  ),
  pluginWrites: or(
    as(listOf(z.object({ pluginId: z.string(), fromRevision: count, toRevision: count }))),
    [],
  ),
  progress: or(as(json), null),
  settledAt: or(time, null),
  approval: or(approvalShape, null),
  isElsewhere: optional(as(z.literal(true))),
});

/** The fields of a call that a message of its step mostly holds already. */
const heldFields = {
  name: z.optional(z.string()),
  input: z.optional(json),
  providerCallId: z.optional(z.string()),
  result: z.optional(json),
  /** The place of the result: the message that answers the call, or none. */
  resultIn: z.optional(z.enum(['message', 'nowhere'])),
};
type StoredCall = { readonly id: string } & {
  readonly [Key in keyof typeof heldFields]?: z.infer<(typeof heldFields)[Key]>;
};

export const callShape: ObjectShape<ToolExecution> = {
  schema: withFields(callFields, heldFields),
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
      missing(path, `call ${JSON.stringify(id)} is in no message of its step`);
    const isHeld = stored.resultIn === 'message' && result === undefined;
    const held = isHeld ? ctx.said.results.get(id) : undefined;
    if (isHeld && held === undefined) missing(join(path, 'result'), 'the message that holds it is missing');
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

const stepFields = object<Omit<AgentStep, 'errors' | 'outputMessages'>>({
  id: as(uuid),
  sent: or(sentShape, null),
  inferenceResponse: renameField('response', or(responseShape, null)),
  toolExecutions: renameField('tools', or(list(callShape), [])),
  extraUsage: or(usageShape, null),
});

type StoredStep = {
  readonly output?: readonly number[];
  readonly tools?: readonly unknown[];
  /** A number is the error of the tool execution with that index. */
  readonly errors?: readonly (number | Stored)[];
};

export const stepShape: ObjectShape<AgentStep> = {
  schema: withFields(stepFields, {
    output: z.optional(rangesShape.schema),
    errors: z.optional(z.array(z.union([count, errorShape.schema]))),
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
      return step.toolExecutions[error]?.error ?? missing(at, `there is no error of tool execution ${error}`);
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
