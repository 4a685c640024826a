import type { Message, MessagePart, ToolCallPart, ToolResultPart } from '../message.ts';
import type {
  EncodedMessage,
  EncodedSent,
  EncodedSentRange,
  EncodedAgentState,
  EncodedContinuation,
  EncodedError,
  EncodedExecution,
  EncodedSignal,
  EncodedStep,
  EncodedStepExecution,
  EncodedToolExecution,
  EncodedUsage,
} from './schema.ts';
import { type JsonValue, equalJson, jsonKey } from '../../kit/json.ts';
import type {
  SentRange,
  SentRequest,
  AgentState,
  AgentStep,
  ExecutionState,
  StepExecution,
  ToolExecution,
} from '../types.ts';
import { type MessageTable, createMessageTable } from './message-table.ts';
import type { Usage } from '../usage.ts';
import type { ExecutionContinuation } from '../execution-continuation.ts';
import type { StopSignal } from '../stop-signal.ts';
import { memoize } from '../../kit/memoize.ts';
import { work } from '../../kit/work.ts';
import type { ErrorInfo } from '../error-info.ts';

/** Removes the keys whose value is undefined. */
export function compact<T extends object>(value: T): T {
  for (const key of Object.keys(value) as (keyof T)[]) if (value[key] === undefined) delete value[key];
  return value;
}

/** Undefined for an object without keys, so that `compact` leaves it out. */
export function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** Encodes a message; empty and null fields are left out. */
export function encodeMessage(message: Message): EncodedMessage {
  const { id, role, parts, metadata, createdAt, parentId } = message;
  return compact({
    id,
    role,
    parts: parts.map(encodePart) as EncodedMessage['parts'],
    metadata: unlessEmpty(metadata),
    createdAt,
    parentId: parentId ?? undefined,
  });
}

/** Encodes a part without null fields and the usual outcome. */
function encodePart(part: MessagePart): object {
  if (part.type === 'tool-call' && part.providerCallId === null) return omit(part, 'providerCallId');
  if (part.type !== 'tool-result') return part;
  const { outcome, durationMs, ...rest } = part;
  return {
    ...rest,
    ...(outcome === 'completed' ? {} : { outcome }),
    ...(durationMs === null ? {} : { durationMs }),
  };
}

function omit(value: object, key: string): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Context for encoding a value: the positions of messages and texts in the document. */
export type EncodeContext = {
  readonly table: MessageTable;
  readonly texts: readonly (readonly [string, JsonValue])[];
  readonly textAt: (hash: string) => number;
};

/** Encodes a request by reference: positions in the document's tables replace ids and hashes. */
export function encodeSent(sent: SentRequest, ctx: EncodeContext): EncodedSent {
  const { inferenceId, model, settings, toolChoice, prompt, tools, responseFormat, messages, extra } = sent;
  return {
    inferenceId,
    ...(model === null ? {} : { model }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    ...(toolChoice === 'auto' ? {} : { toolChoice }),
    prompt: ctx.textAt(prompt),
    tools: ctx.textAt(tools),
    ...(responseFormat === null ? {} : { responseFormat: ctx.textAt(responseFormat) }),
    ...(sent.tracesOf === undefined ? {} : { tracesOf: sent.tracesOf }),
    ...(sent.isCharged === undefined ? {} : { isCharged: sent.isCharged }),
    ...(extra.length === 0 ? {} : { extra: ctx.table.rangesOf(extra) }),
    ...(messages.length === 0 ? {} : { messages: messages.map((range) => encodeRange(range, ctx)) }),
    ...(sent.omitted.length === 0
      ? {}
      : { omitted: sent.omitted.map(({ range, reason }) => ({ range: encodeRange(range, ctx), reason })) }),
  };
}

function encodeRange({ section, first, last, count }: SentRange, { table }: EncodeContext): EncodedSentRange {
  if (section === null) return [null, first, last, count];
  // An execution written alone has no sections, so the ids stay.
  const place = (id: string): number | string => (table.placeOf(id) < 0 ? id : table.placeOf(id));
  return [section, place(first), place(last), count];
}

/** Encodes the state of a subagent as a document of its own. */
export type EncodeChild = (state: AgentState) => unknown;

/** Creates the tables for values of the given texts. */
export function encodeContext(texts: AgentState['texts']): EncodeContext {
  const entries: [string, JsonValue][] = Object.entries(texts);
  const places = new Map(entries.map(([hash], index) => [hash, index]));
  return {
    table: createMessageTable(),
    texts: entries,
    textAt(hash) {
      const known = places.get(hash);
      if (known !== undefined) return known;
      // A step written alone keeps the hash; the text is in its state.
      places.set(hash, entries.length);
      return entries.push([hash, null]) - 1;
    },
  };
}

export function encodeAgentState(
  state: AgentState,
  ctx: EncodeContext,
  child: EncodeChild,
): EncodedAgentState {
  const keys = Object.keys(state.retained);
  const sections = state.context.store.sections.map(({ name, messages }) => ({
    name,
    messages: ctx.table.rangesOf(messages),
  }));
  const { context, llmConfig, execution } = state;
  return compact({
    agentId: state.agentId,
    parentAgentId: state.parentAgentId ?? undefined,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    seq: state.seq === 0 ? undefined : state.seq,
    executionCount: state.executionCount,
    llmConfig: (llmConfig ?? undefined) as EncodedAgentState['llmConfig'],
    systemPrompt: context.systemPrompt === '' ? undefined : context.systemPrompt,
    metadata: unlessEmpty(context.metadata),
    responseFormat: (context.responseFormat ?? undefined) as EncodedAgentState['responseFormat'],
    sections,
    retained:
      keys.length === 0 ? undefined : { keys, messages: ctx.table.rangesOf(Object.values(state.retained)) },
    plugins: unlessEmpty(state.plugins) as EncodedAgentState['plugins'],
    spentBefore: state.spentBefore ?? undefined,
    execution: execution === null ? undefined : encodeExecution(execution, ctx, child),
  });
}

export function encodeExecution(
  execution: ExecutionState,
  ctx: EncodeContext,
  child: EncodeChild,
): EncodedExecution {
  return compact({
    executionId: execution.executionId,
    status: execution.status,
    startedAt: execution.startedAt,
    completedAt: execution.completedAt ?? undefined,
    steps: some(execution.stepExecutions.map((step) => encodeStepExecution(step, ctx, child))),
    continuation: encodeContinuation(execution.continuation),
    currentStepStartedAt: execution.currentStepStartedAt ?? undefined,
    currentStep: execution.currentStep === null ? undefined : encodeStep(execution.currentStep, ctx, child),
    waitedMs: execution.waitedMs === 0 ? undefined : execution.waitedMs,
    waitingSince: execution.waitingSince ?? undefined,
    errors: some(execution.errors.map(encodeError)),
    extraUsage: encodeUsage(execution.extraUsage),
  });
}

export function encodeStepExecution(
  entry: StepExecution,
  ctx: EncodeContext,
  child: EncodeChild,
): EncodedStepExecution {
  const { startedAt, completedAt, durationMs } = entry;
  const continuation = encodeContinuation(entry.continuation);
  return compact({
    step: encodeStep(entry.step, ctx, child),
    continuation,
    startedAt,
    completedAt,
    durationMs,
  });
}

export function encodeStep(step: AgentStep, ctx: EncodeContext, child: EncodeChild): EncodedStep {
  const { inferenceResponse: response, toolExecutions } = step;
  const toolOf = step.errors.length === 0 ? null : toolsByError(toolExecutions);
  const errors = step.errors.map((error) => toolOf?.get(jsonKey(error)) ?? encodeError(error));
  return compact({
    id: step.id,
    sent: step.sent === null ? undefined : encodeSent(step.sent, ctx),
    output: some(ctx.table.rangesOf(step.outputMessages)),
    response:
      response === null
        ? undefined
        : compact({
            id: response.id ?? undefined,
            model: response.model ?? undefined,
            finishReason: response.finishReason,
            explanation: response.explanation,
            usage: encodeUsage(response.usage),
            durationMs: response.durationMs,
            firstDeltaMs: response.firstDeltaMs ?? undefined,
          }),
    tools: some(
      toolExecutions.map((execution) => encodeToolExecution(execution, step.outputMessages, child)),
    ),
    errors: some(errors),
    extraUsage: encodeUsage(step.extraUsage),
  });
}

/** The index of the first tool execution with each error, by the content of the error. */
function toolsByError(toolExecutions: readonly ToolExecution[]): ReadonlyMap<string | null, number> {
  const places = new Map<string | null, number>();
  for (const [place, { error }] of toolExecutions.entries()) {
    const key = error === null ? null : jsonKey(error);
    if (key !== null && !places.has(key)) places.set(key, place);
  }
  return places;
}

/** Encodes a call. Call and result are usually in the step's messages; they are written here only when they differ. */
export function encodeToolExecution(
  execution: ToolExecution,
  messages: readonly Message[],
  child: EncodeChild,
): EncodedToolExecution {
  const { toolCall, approval } = execution;
  const call = findCall(messages, toolCall.id);
  const isCallKnown =
    call !== null && call.toolName === toolCall.name && equalJson(call.input, toolCall.input);
  const known = findResult(messages, toolCall.id);
  const isResultKnown = 'result' in execution && known !== null && equalJson(known.output, execution.result);
  return compact({
    id: execution.id,
    providerCallId: toolCall.providerCallId ?? undefined,
    name: isCallKnown ? undefined : toolCall.name,
    input: isCallKnown ? undefined : toolCall.input,
    status: execution.status,
    result: isResultKnown ? undefined : execution.result,
    resultIn: isResultKnown ? ('message' as const) : undefined,
    error: execution.error === null ? undefined : encodeError(execution.error),
    startedAt: execution.startedAt ?? undefined,
    completedAt: execution.completedAt ?? undefined,
    durationMs: execution.durationMs ?? undefined,
    childState: execution.childState === null ? undefined : child(execution.childState),
    pluginWrites: some([...execution.pluginWrites]),
    progress: execution.progress ?? undefined,
    settledAt: execution.settledAt ?? undefined,
    approval: approval === null ? undefined : { ...approval },
  });
}

type Shown = {
  readonly calls: ReadonlyMap<string, ToolCallPart>;
  readonly results: ReadonlyMap<string, ToolResultPart>;
};

/**
 * The first call and the first result of each id in a step's messages, as maps: an answer may have thousands of calls.
 */
const shownIn = memoize((messages: readonly Message[]): Shown => {
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
});

export function findCall(messages: readonly Message[], toolCallId: string): ToolCallPart | null {
  return shownIn(messages).calls.get(toolCallId) ?? null;
}

export function findResult(messages: readonly Message[], toolCallId: string): ToolResultPart | null {
  return shownIn(messages).results.get(toolCallId) ?? null;
}

export function encodeContinuation(continuation: ExecutionContinuation): EncodedContinuation | undefined {
  const { stopSignals, isContinuationRequested, overridden } = continuation;
  if (stopSignals.length === 0 && !isContinuationRequested && overridden.length === 0) return undefined;
  return compact({
    stopSignals: some(stopSignals.map(encodeSignal)),
    isContinuationRequested: isContinuationRequested || undefined,
    overridden: some(overridden.map(encodeSignal)),
  });
}

function encodeSignal({ reason, message, context, source, at }: StopSignal): EncodedSignal {
  return compact({
    reason,
    message: message === '' ? undefined : message,
    context: unlessEmpty(context),
    source: source ?? undefined,
    at,
  });
}

function encodeUsage(usage: Usage | null): EncodedUsage | undefined {
  if (usage === null) return undefined;
  const entries = Object.entries(usage).filter(([, value]) => value !== 0 && value !== null);
  if (usage.cost === 0) entries.push(['cost', 0]);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as EncodedUsage);
}

export function encodeError({ name, message, code, data, cause }: ErrorInfo): EncodedError {
  const encoded = { name, message, code: code ?? undefined, data: unlessEmpty(data) };
  return compact({ ...encoded, cause: cause === null ? undefined : encodeError(cause) });
}

function some<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}
