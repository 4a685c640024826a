import { continuationBranches, type ContinuationEvaluation } from '../graph/execution-continuation.ts';
import * as nouns from '../graph/shapes.ts';
import type { AgentState } from '../graph/types.ts';
import type { AnyCheck, Check } from '../kit/check.ts';
import * as is from '../kit/check.ts';

/** The id of the principal whose command caused the event; absent where commands name nobody. */
const by = is.optional(is.text);
/** The author of a change that the loop did not make: a hook, tool or plugin by name, `app`, or `user`. */
const source = is.nullable(is.text);
/** Milliseconds that the machine slept since the step was started or resumed: no work. Absent for 0. */
const asleepMs = is.optional(is.number);
/** The limits of the agent, when a loop has begun or taken up the run; absent in a journal of an earlier version. */
const limits = is.optional(nouns.limits);
/** The agent's setting for the place of tool traces. */
const toolTrace = is.literal('tagged', 'separate');
const providerMetadata = is.optional(is.jsonObject);

/** A delta of a part. A new `partId` begins a part; `n` is the number of deltas that were merged. */
const delta = { partId: is.text, delta: is.text, providerMetadata, n: is.optional(is.count) };

export const replacedRequest = is.objectOf({
  hook: is.text,
  /** Names of `SentRequest` fields, e.g. `messages`, `prompt` or `settings`. */
  fields: is.list(is.text),
  /** The system prompt before the hook, once for each prompt that it replaced. */
  prompt: is.optional(is.text),
});

const plugin = { pluginId: is.text, version: is.number, data: is.json };
export const pluginValue = is.objectOf(plugin);

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

/** Every event that changes an agent's state, with its fields. Events may have more, and later versions add some. */
export const eventFields = {
  /** A new execution begins, or a pending one of the same id starts to run. */
  'execution-start': {
    executionId: is.text,
    model: is.nullable(is.text),
    /** The turn of the session that begins the execution; absent without a session. */
    turnId: is.optional(is.text),
    /** The model that this turn alone asks. */
    turnModel: is.optional(is.text),
    /** Plugins whose state lives for one execution only. */
    forgottenPlugins: is.list(is.text),
    limits,
    by,
  },
  /** The run waits for a person, and nothing in the whole tree is in flight. */
  'execution-pause': { asleepMs },
  /** The run continues: after an answer or a reload, or behind its end, because a person wanted it to go on. */
  'execution-resume': { limits },
  /** The terminal event of a run: the last one, unless a person lets the run go on. */
  'execution-end': { status: is.literal('completed', 'stopped', 'failed') },

  /** A step begins. */
  'step-start': { stepId: is.text },
  /** Archives the step. The results of its calls are in the messages of these ids, in call order. */
  'step-end': {
    resultMessageIds: is.list(is.text),
    /** Milliseconds of work, without waiting for a person. */
    durationMs: is.number,
    toolTrace,
    asleepMs,
  },

  /** Calls the model, and clears the partial answer of an earlier attempt. */
  'inference-start': {
    key: is.text,
    attempt: is.number,
    messageId: is.text,
    sent: nouns.sent,
    /** Texts of `sent` that the state does not hold yet, by hash. */
    texts: is.jsonObject,
    /** The replacement of the prepared request by a hook; absent without one. */
    replaced: is.optional(replacedRequest),
    /** The plugins that added to it, by id, with a hash of their instructions and tools; absent without any. */
    contributions: is.optional(is.record(is.text)),
  },
  /** The first content of an answer came, `afterMs` milliseconds after its call. It changes nothing else. */
  'first-delta': { afterMs: is.number },
  'text-delta': delta,
  'reasoning-delta': delta,
  /** The model begins a tool call; its input is not complete yet. */
  'tool-call-start': { toolCallId: is.text, toolName: is.text },
  /** The model has sent a complete tool call. */
  'tool-call': {
    toolCallId: is.text,
    toolName: is.text,
    input: is.json,
    providerCallId: is.nullable(is.text),
    providerMetadata,
  },
  /** The model has sent a file. */
  file: { part: nouns.file },
  /** The model has named a source of its answer. */
  source: { part: nouns.source },
  /**
   * The charge of a model call without an answer, of one that a reload or crash interrupted, or of one made by a hook.
   * `hook` names the hook and is null for the step's own call.
   */
  'usage-charge': {
    reason: is.literal('failed', 'aborted', 'interrupted', 'hook'),
    hook: is.nullable(is.text),
    usage: nouns.usage,
    /** Key of a hook's call, which a replay answers with `result`; absent when the call gave no result. */
    key: is.optional(is.text),
    result: is.optional(is.json),
  },
  /** The stored response, after the hooks. `inferenceId` equals that of the `sent` it answers. */
  'inference-end': {
    inferenceId: is.text,
    response: nouns.response,
    toolTrace,
    /** The hook that replaced the response; absent without one. */
    hook: is.optional(is.text),
    /** Calls beyond `most` are not run and have this error, as has one that the output limit cut. Absent: all run. */
    callLimit: is.optional(is.objectOf({ most: is.number, error: nouns.error })),
  },

  /** A call waits for a person's approval. `isJoint` calls of a step, and of the subagents in it, start with the last answer. */
  'approval-request': {
    toolCallId: is.text,
    reason: is.nullable(is.text),
    /** The reason for a question that the tool did not ask: its start could not be stored, or it would act in a fork. */
    cause: is.optional(is.literal('not-stored', 'fork')),
    isJoint: is.optional(is.literal(true)),
    /** The JSON Schema of the answer that a running tool asks for; absent for the question whether it may run. */
    form: is.optional(is.jsonObject),
  },
  /** A call waits for the output that the interface provides. */
  'output-request': { toolCallId: is.text },
  /** A person has approved or rejected a call. */
  'approval-answer': {
    toolCallId: is.text,
    decision: nouns.decision,
    comment: is.nullable(is.text),
    isEdited: is.flag,
    /** The answer to the form of the question. */
    answer: is.optional(is.json),
    by,
  },
  /** A decision applies to all later calls of a tool, in this execution or in the session. */
  'approval-remember': {
    toolName: is.text,
    decision: nouns.decision,
    scope: is.literal('execution', 'session'),
    by,
  },
  /** A tool begins to run. `key` is the same in every attempt, for idempotent tools. */
  'tool-start': {
    toolCallId: is.text,
    key: is.text,
    /** The arguments after the schema of the tool, when it changed them. */
    input: is.optional(is.json),
  },
  /** A running tool has reported its progress. */
  'tool-progress': { toolCallId: is.text, progress: is.json },
  /** The tool's own result and plugin writes. The output that a person gives for a call has the same event. */
  'tool-end': {
    toolCallId: is.text,
    status: nouns.outcome,
    result: is.optional(is.json),
    error: is.nullable(nouns.error),
    durationMs: is.nullable(is.number),
    /** Milliseconds before the tool first waited, in which nothing else could run; absent below 50. */
    blockedMs: is.optional(is.number),
    pluginWrites: is.list(pluginValue),
    by,
  },
  /** A change by a person or a tool hook. The message shows the model the call that really ran. */
  'call-change': {
    source,
    toolCallId: is.text,
    toolName: is.optional(is.text),
    input: is.optional(is.json),
    result: is.optional(is.json),
    status: is.optional(nouns.outcome),
    error: is.optional(is.nullable(nouns.error)),
    by,
  },
  /** The settlement of a call, after its hooks. It is the only end of a blocked, rejected or invalid call. */
  'call-settle': {
    toolCallId: is.text,
    outcome: nouns.outcome,
    error: is.nullable(nouns.error),
    /** The hook that blocked the call; absent for other outcomes. */
    hook: is.optional(is.text),
  },
  /** A call that ran outside this loop has ended, and is settled without hooks. A failed one has the text of its error. */
  'tool-elsewhere': { toolCallId: is.text, outcome: nouns.outcome, result: is.json },
  /** A subagent begins its task. Its own events have the call in their `path`. */
  'subagent-start': { toolCallId: is.text, name: is.text, child: newAgent },
  /** A subagent has ended, with the status of its execution. */
  'subagent-end': { toolCallId: is.text, status: nouns.executionStatus },

  /** Adds a message at the end of a section. */
  'message-add': { source, message: nouns.message, section: is.text, by },
  /**
   * A change of a section by message id: `removed` are deleted, `put` replace the message of their id, `added` are
   * inserted after the named message (null: at the front). Concurrent changes of others are kept.
   */
  'section-change': {
    source,
    name: is.text,
    removed: is.list(is.text),
    put: is.list(nouns.message),
    added: is.list(is.objectOf({ after: is.nullable(is.text), messages: is.list(nouns.message) })),
    /** Messages of any section whose former texts are deleted everywhere; steps keep only their ids. */
    erased: is.optional(is.list(is.text)),
  },
  /** Sets and removes entries of the agent's metadata. */
  'metadata-change': { source, set: is.jsonObject, removed: is.list(is.text) },
  /** Changes the system prompt, the response format or the model settings. */
  'context-change': {
    source,
    systemPrompt: is.optional(is.text),
    responseFormat: is.optional(is.nullable(nouns.responseFormat)),
    llmConfig: is.optional(is.nullable(nouns.llmConfig)),
  },
  /** A write of plugin state. A null `data` with version 0 forgets it. */
  'plugin-change': { source, ...plugin, isForgotten: is.optional(is.flag) },
  /** A stop signal. `executionId` names the pending execution that a signal to an idle agent creates. */
  'stop-signal': { signal: nouns.signal, executionId: is.optional(is.text), by },
  /** Asks the run to continue in spite of its stop signals, which it consumes. */
  'continuation-request': { source, executionId: is.optional(is.text) },
  /** The check after a step: whether the run goes on, and by which rule. */
  'continuation-evaluate': { evaluation },
  /** The price of a model as the client of the agent told it; null for an unknown one. `key` names the question. */
  'price-record': { key: is.text, model: is.nullable(is.text), price: is.nullable(nouns.price) },
  /** Amounts beyond the limits of the run, which its end had reached. */
  'budget-grant': { source, grant: nouns.grant, by },
  /** A model call waits for room in the budget that other calls hold. */
  'budget-wait': { held: is.objectOf({ tokens: is.amount, cost: is.amount }) },
  /** Sets a breakpoint of the root agent, or takes it away when `on` is null. */
  'break-set': {
    breakpointId: is.text,
    on: is.nullable(nouns.breakCondition),
    /** True for one that is taken away with its hit and with the end of the run. */
    isOnce: is.flag,
  },
  /** A breakpoint stops the agent: it begins no further call until a person releases it. */
  'break-hit': { breakpointId: is.text, place: nouns.breakAddress },
  /** A person lets the agent go on. `edit` names what the events before it changed, if anything. */
  'break-release': {
    edit: is.optional(is.list(is.literal('input', 'result', 'toolCallId', 'message', 'systemPrompt'))),
    by,
  },
  /** Records an error on the execution. */
  'error-record': { error: nouns.error, executionId: is.optional(is.text) },
} as const;

const eventShapes: ReadonlyMap<unknown, AnyCheck> = new Map(
  Object.entries(eventFields).map(([type, fields]) => [type, is.object(fields as never)]),
);

/** The path of the first invalid field of an event, or null for a valid event. For an unknown type it is `type`. */
export function wrongFieldOf(event: { readonly type: string }): string | null {
  const fault = eventShapes.get((event as { readonly type: string } | null)?.type)?.(event, 0);
  if (fault === null) return null;
  return (fault && is.pathOf(fault)) || 'type';
}

/** True for an event that `apply` understands. Signals change nothing, whatever their type. */
export function isSound(event: { readonly type: string; readonly seq: number | null }): boolean {
  return event.seq === null || wrongFieldOf(event) === null;
}
