import { continuationBranches, type ContinuationEvaluation } from '../graph/execution-continuation.ts';
import * as nouns from '../graph/shapes.ts';
import type { AgentState } from '../graph/types.ts';
import type { AnyCheck, Check, FieldsOf } from '../kit/check.ts';
import * as is from '../kit/check.ts';
import type { ChangeType } from './apply/handler.ts';
import type { AgentEventBody, PluginValue, ReplacedRequest } from './events.ts';

type BodyOf<Type, Body = AgentEventBody> = Body extends { readonly type: infer Types }
  ? Type extends Types
    ? Omit<Body, 'type'>
    : never
  : never;

const by = is.optional(is.text);
const author = is.nullable(is.text);
const providerMetadata = is.optional(is.jsonObject);
const toolTrace = is.literal('tagged', 'separate');
const ended = is.literal('completed', 'stopped', 'failed');
const plugin: FieldsOf<PluginValue> = { pluginId: is.text, version: is.number, data: is.json };
const delta: FieldsOf<BodyOf<'text-delta'>> = {
  partId: is.text,
  delta: is.text,
  providerMetadata,
  n: is.optional(is.count),
};
/** A subagent that has not run yet, with its task: what is left of a state without its past. */
const newAgent = is.object<object>({
  agentId: is.text,
  seq: is.number,
  createdAt: is.timestamp,
  updatedAt: is.timestamp,
  executionCount: is.number,
  context: is.object<object>({
    store: is.object<object>({
      sections: is.list(is.object<object>({ name: is.text, messages: is.list(nouns.message) })),
    }),
    metadata: is.jsonObject,
    systemPrompt: is.text,
  }),
  plugins: is.record(is.object({ version: is.number, revision: is.number, data: is.json })),
  texts: is.jsonObject,
  retained: is.record(nouns.message),
  execution: is.checkBy((value) => value === null, 'expected null'),
}) as unknown as Check<AgentState>;
const evaluation = is.object<ContinuationEvaluation>({
  at: is.literal('before-step', 'after-step', 'resume'),
  stepNumber: is.number,
  shouldStop: is.flag,
  branch: is.literal(...continuationBranches),
  stopSignals: is.list(nouns.signal),
  overridden: is.list(nouns.signal),
  winner: is.nullable(nouns.signal),
});

/** The fields of each event. Events may have more, and later versions add some. */
const events: { readonly [Type in ChangeType]: FieldsOf<BodyOf<Type>> } = {
  'execution-start': {
    executionId: is.text,
    model: is.nullable(is.text),
    forgottenPlugins: is.list(is.text),
    turnId: is.optional(is.text),
    limits: is.optional(nouns.limits),
    by,
  },
  'execution-pause': { asleepMs: is.optional(is.number) },
  'execution-resume': { limits: is.optional(nouns.limits) },
  'execution-end': { status: ended },
  'step-start': { stepId: is.text },
  'step-end': {
    resultMessageIds: is.list(is.text),
    durationMs: is.number,
    toolTrace,
    asleepMs: is.optional(is.number),
  },
  'inference-start': {
    key: is.text,
    attempt: is.number,
    messageId: is.text,
    sent: nouns.sent,
    texts: is.jsonObject,
    replaced: is.optional(
      is.object<ReplacedRequest>({ hook: is.text, fields: is.list(is.text), prompt: is.optional(is.text) }),
    ),
    contributors: is.optional(is.list(is.text)),
  },
  'first-delta': { afterMs: is.number },
  'text-delta': delta,
  'reasoning-delta': delta,
  'usage-charge': {
    reason: is.literal('failed', 'aborted', 'interrupted', 'hook'),
    hook: is.nullable(is.text),
    usage: nouns.usage,
    key: is.optional(is.text),
    result: is.optional(is.json),
  },
  'tool-call-start': { toolCallId: is.text, toolName: is.text },
  'tool-call': {
    toolCallId: is.text,
    toolName: is.text,
    input: is.json,
    providerCallId: is.nullable(is.text),
    providerMetadata,
  },
  file: { part: nouns.file },
  source: { part: nouns.source },
  'inference-end': {
    inferenceId: is.text,
    response: nouns.response,
    toolTrace,
    hook: is.optional(is.text),
    callLimit: is.optional(is.object({ most: is.number, error: nouns.error })),
  },
  'approval-request': {
    toolCallId: is.text,
    reason: is.nullable(is.text),
    cause: is.optional(is.literal('not-stored')),
    form: is.optional(is.jsonObject),
    isJoint: is.optional(is.literal(true)),
  },
  'output-request': { toolCallId: is.text },
  'approval-answer': {
    toolCallId: is.text,
    decision: nouns.decision,
    comment: is.nullable(is.text),
    isEdited: is.flag,
    answer: is.optional(is.json),
    by,
  },
  'approval-remember': {
    toolName: is.text,
    decision: nouns.decision,
    scope: is.literal('execution', 'session'),
    by,
  },
  'tool-start': { toolCallId: is.text, key: is.text, input: is.optional(is.json) },
  'tool-progress': { toolCallId: is.text, progress: is.json },
  'tool-end': {
    toolCallId: is.text,
    status: nouns.outcome,
    result: is.optional(is.json),
    error: is.nullable(nouns.error),
    durationMs: is.nullable(is.number),
    blockedMs: is.optional(is.number),
    pluginWrites: is.list(is.object(plugin)),
    by,
  },
  'call-change': {
    source: author,
    toolCallId: is.text,
    toolName: is.optional(is.text),
    input: is.optional(is.json),
    result: is.optional(is.json),
    status: is.optional(nouns.outcome),
    error: is.optional(is.nullable(nouns.error)),
    by,
  },
  'call-settle': {
    toolCallId: is.text,
    outcome: nouns.outcome,
    error: is.nullable(nouns.error),
    hook: is.optional(is.text),
  },
  'tool-elsewhere': { toolCallId: is.text, outcome: nouns.outcome, result: is.json },
  'subagent-start': { toolCallId: is.text, name: is.text, child: newAgent },
  'subagent-end': { toolCallId: is.text, status: nouns.executionStatus },
  'message-add': { source: author, message: nouns.message, section: is.text, by },
  'section-change': {
    source: author,
    name: is.text,
    removed: is.list(is.text),
    put: is.list(nouns.message),
    added: is.list(is.object({ after: is.nullable(is.text), messages: is.list(nouns.message) })),
    erased: is.optional(is.list(is.text)),
  },
  'metadata-change': { source: author, set: is.jsonObject, removed: is.list(is.text) },
  'context-change': {
    source: author,
    systemPrompt: is.optional(is.text),
    responseFormat: is.optional(is.nullable(nouns.responseFormat)),
    llmConfig: is.optional(is.nullable(nouns.llmConfig)),
  },
  'plugin-change': { source: author, ...plugin, isForgotten: is.optional(is.flag) },
  'stop-signal': { signal: nouns.signal, executionId: is.optional(is.text), by },
  'continuation-request': { source: author, executionId: is.optional(is.text) },
  'continuation-evaluate': { evaluation },
  'budget-grant': { source: author, grant: nouns.grant, by },
  'budget-wait': { held: is.object({ tokens: is.amount, cost: is.amount }) },
  'price-record': { key: is.text, model: is.nullable(is.text), price: is.nullable(nouns.price) },
  'break-set': { breakpointId: is.text, on: is.nullable(nouns.breakCondition), isOnce: is.flag },
  'break-hit': { breakpointId: is.text, place: nouns.breakAddress },
  'break-release': {
    edit: is.optional(is.list(is.literal('input', 'result', 'toolCallId', 'message', 'systemPrompt'))),
    by,
  },
  'error-record': { error: nouns.error, executionId: is.optional(is.text) },
};

/** The check of each event by its type. */
export const eventShapes: ReadonlyMap<unknown, AnyCheck> = new Map(
  Object.entries(events).map(([type, fields]) => [type, is.object(fields as never)]),
);
