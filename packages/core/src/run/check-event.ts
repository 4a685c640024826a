import type { MessagePart } from '../graph/message.ts';
import { isToolOutcome } from '../graph/tool-execution.ts';
import type { BreakCondition } from '../graph/types.ts';
import { documentJson, isPlainObject } from '../kit/json.ts';
import { work } from '../kit/work.ts';
import type { ChangeType } from './apply/handler.ts';

type Check = (value: unknown) => boolean;
type Shape = { readonly [field: string]: Check };

const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
/** The most levels of a value in an event. The document around the value has the rest. */
const mostLevels = documentJson.depth - 100;
/** True for a value that a document can hold: JSON of limited depth, in which properties may be undefined. */
const json: Check = (value) => {
  const open: [value: unknown, level: number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    work.units++;
    const [inner, level] = next;
    if (typeof inner === 'string' || typeof inner === 'boolean' || inner === null) continue;
    if (typeof inner === 'number' && Number.isFinite(inner)) continue;
    const isList = Array.isArray(inner);
    if (level > mostLevels || !(isList || isPlainObject(inner))) return false;
    const children = isList
      ? Array.from<unknown>(inner)
      : Object.values(inner).filter((child) => child !== undefined);
    for (const child of children) open.push([child, level + 1]);
  }
  return true;
};
const jsonObject: Check = (value) => isPlainObject(value) && json(value);
const outcome: Check = isToolOutcome;
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    // `every` skips holes, and a hole is an invalid item.
    Array.isArray(value) && Array.from(value).every(check);
const record =
  (check: Check): Check =>
  (value) =>
    isPlainObject(value) && Object.values(value).every(check);
const shape = (fields: Shape): Check => {
  const checks = fieldsOf(fields);
  return (value) => isPlainObject(value) && wrongOf(checks, value) === null;
};
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value);

type Fields = readonly { readonly field: string; readonly check: Check }[];

const fieldsOf = (shape: Shape): Fields => Object.entries(shape).map(([field, check]) => ({ field, check }));

function wrongOf(fields: Fields, value: { readonly [field: string]: unknown }): string | null {
  for (const { field, check } of fields) if (!check(value[field])) return field;
  return null;
}

const metadata = { providerMetadata: optional(jsonObject) };
const file = shape({ type: oneOf('file'), mediaType: text, ...metadata });
const source = shape({ type: oneOf('source'), id: text });
const call = { toolCallId: text, toolName: text };
/** The check of each part of a message; the compiler asks for that of a new part. */
const parts: { readonly [Type in MessagePart['type']]: Check } = {
  text: shape({ text, ...metadata }),
  reasoning: shape({ text, ...metadata }),
  'tool-call': shape({ ...call, input: json, ...metadata }),
  'tool-result': shape({ ...call, output: json }),
  data: shape({ name: text, data: json }),
  file,
  source,
};
const part: Check = (value) =>
  isPlainObject(value) &&
  typeof value['type'] === 'string' &&
  Object.hasOwn(parts, value['type']) &&
  parts[value['type'] as MessagePart['type']](value);
const message = shape({
  id: text,
  role: oneOf('system', 'user', 'assistant', 'tool'),
  parts: list(part),
  metadata: jsonObject,
  createdAt: number,
  parentId: optional(nullable(text)),
});
/** True for an error with its causes, which are followed as deep as any other value. */
const error: Check = (value) => {
  let one = value;
  for (let level = 1; level <= mostLevels; level++) {
    if (!isPlainObject(one) || !text(one['name']) || !text(one['message'])) return false;
    if (!jsonObject(one['data'] ?? {})) return false;
    one = one['cause'] ?? null;
    if (one === null) return true;
  }
  return false;
};
const signal = shape({ reason: text, message: text, context: jsonObject, at: number });
const plugin = { pluginId: text, version: number, data: json };
const range = shape({ section: nullable(text), first: text, last: text, count: number });
const sent = shape({
  inferenceId: text,
  model: nullable(text),
  settings: jsonObject,
  prompt: text,
  tools: text,
  responseFormat: nullable(text),
  messages: list(range),
  extra: list(message),
  omitted: list(shape({ range, reason: text })),
});
const amounts = record((value) => number(value) && (value as number) >= 0);
const usage = record((value) => value === null || number(value) || flag(value));
const response = shape({
  finishReason: text,
  skippedFrames: optional(number),
  usage,
  durationMs: number,
});
/** A subagent that has not run yet, with its task. */
const newAgent = shape({
  agentId: text,
  seq: number,
  createdAt: number,
  updatedAt: number,
  executionCount: number,
  context: shape({
    store: shape({ sections: list(shape({ name: text, messages: list(message) })) }),
    metadata: jsonObject,
    systemPrompt: text,
  }),
  plugins: record(shape({ version: number, revision: number })),
  texts: jsonObject,
  retained: record(message),
  execution: (value) => value === null,
});

const given = { by: optional(text) };
const breakAddress = shape({
  point: oneOf('model', 'tool', 'answer', 'end'),
  step: number,
  toolCallId: nullable(text),
});
const conditions: { readonly [Type in BreakCondition['type']]: Check } = {
  next: () => true,
  model: () => true,
  tool: shape({ toolName: text, isAfter: optional(flag) }),
  step: shape({ stepType: oneOf('error', 'tool-execution', 'final-response') }),
  budget: shape({ limit: oneOf('steps', 'tokens', 'seconds', 'cost'), left: number }),
  finding: shape({ code: nullable(text) }),
};
const breakCondition: Check = (value) =>
  isPlainObject(value) &&
  typeof value['type'] === 'string' &&
  Object.hasOwn(conditions, value['type']) &&
  conditions[value['type'] as BreakCondition['type']](value);

/** The fields of each event that `apply` relies on. Events may have more, and later versions add some. */
const events: { readonly [Type in ChangeType]: Shape } = {
  'execution-start': {
    executionId: text,
    forgottenPlugins: list(text),
    turnId: optional(text),
    limits: optional(amounts),
    ...given,
  },
  'execution-pause': {},
  'execution-resume': { limits: optional(amounts) },
  'execution-end': { status: oneOf('completed', 'stopped', 'failed') },
  'step-start': { stepId: text },
  'step-end': { resultMessageIds: list(text), durationMs: number },
  'inference-start': {
    messageId: text,
    sent,
    texts: jsonObject,
    replaced: optional(shape({ hook: text, fields: list(text), prompt: optional(text) })),
    contributors: optional(list(text)),
  },
  'first-delta': { afterMs: number },
  'text-delta': { partId: text, delta: text, ...metadata },
  'reasoning-delta': { partId: text, delta: text, ...metadata },
  'usage-charge': { reason: text, usage },
  'tool-call-start': {},
  'tool-call': { ...call, input: json, ...metadata },
  file: { part: file },
  source: { part: source },
  'inference-end': {
    response,
    hook: optional(text),
    callLimit: optional(shape({ most: number, error })),
  },
  'approval-request': {
    toolCallId: text,
    reason: nullable(text),
    form: optional(jsonObject),
    isJoint: optional((value) => value === true),
  },
  'output-request': { toolCallId: text },
  'approval-answer': {
    toolCallId: text,
    decision: oneOf('approved', 'rejected'),
    comment: nullable(text),
    answer: optional(json),
    ...given,
  },
  'approval-remember': {
    toolName: text,
    decision: oneOf('approved', 'rejected'),
    scope: oneOf('execution', 'session'),
    ...given,
  },
  'tool-start': { toolCallId: text, input: optional(json) },
  'tool-progress': { toolCallId: text, progress: json },
  'tool-end': {
    toolCallId: text,
    status: outcome,
    result: optional(json),
    error: nullable(error),
    durationMs: nullable(number),
    blockedMs: optional(number),
    pluginWrites: list(shape(plugin)),
    ...given,
  },
  'call-change': {
    toolCallId: text,
    toolName: optional(text),
    input: optional(json),
    result: optional(json),
    status: optional(outcome),
    error: optional(nullable(error)),
    ...given,
  },
  'call-settle': { toolCallId: text, outcome, error: nullable(error), hook: optional(text) },
  'tool-elsewhere': { toolCallId: text, outcome, result: json },
  'subagent-start': { toolCallId: text, child: newAgent },
  'subagent-end': { toolCallId: text },
  'message-add': { message, section: text, ...given },
  'section-change': {
    name: text,
    removed: list(text),
    put: list(message),
    added: list(shape({ after: nullable(text), messages: list(message) })),
    erased: optional(list(text)),
  },
  'metadata-change': { set: jsonObject, removed: list(text) },
  'context-change': {
    systemPrompt: optional(text),
    responseFormat: optional(nullable(jsonObject)),
    llmConfig: optional(nullable(shape({ settings: jsonObject }))),
  },
  'plugin-change': plugin,
  'stop-signal': { signal, executionId: optional(text), ...given },
  'continuation-request': { executionId: optional(text) },
  'continuation-evaluate': { evaluation: shape({ at: text, shouldStop: flag }) },
  'budget-grant': { grant: amounts, ...given },
  'budget-wait': {},
  'price-record': { model: nullable(text), price: nullable(shape({ input: number, output: number })) },
  'break-set': { breakpointId: text, on: nullable(breakCondition), isOnce: flag },
  'break-hit': { breakpointId: text, place: breakAddress },
  'break-release': { edit: optional(list(text)), ...given },
  'error-record': { error, executionId: optional(text) },
};

// Lists are walked faster than objects, and each delta is checked.
const checks: ReadonlyMap<string, Fields> = new Map(
  Object.entries(events).map(([type, fields]) => [type, fieldsOf(fields)]),
);

/**
 * The name of the first invalid field of an event, or null for a valid event. For an unknown type it is
 * `type`.
 */
export function wrongFieldOf(event: { readonly type: string }): string | null {
  const fields = isPlainObject(event) ? checks.get(event.type) : undefined;
  return fields === undefined ? 'type' : wrongOf(fields, event);
}
