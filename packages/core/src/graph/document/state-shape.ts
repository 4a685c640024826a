import * as z from 'zod/mini';
import type { JsonValue } from '../../kit/json.ts';
import { type ExecutionBudget, of as budgetOf } from '../execution-budget.ts';
import type { ExecutionContinuation } from '../execution-continuation.ts';
import { limits } from '../limits.ts';
import type { LlmConfig, ModelPrice, ResponseFormat } from '../llm-config.ts';
import { append, empty, type MessageSection, type MessageStore, withSection } from '../message-store.ts';
import { isStopReason, type StopReason } from '../stop-reason.ts';
import type { StopSignal } from '../stop-signal.ts';
import type {
  AgentState,
  BreakAddress,
  BreakHit,
  Breakpoint,
  ExecutionState,
  Grant,
  PluginStates,
  RunLimits,
  SpentBefore,
  StepExecution,
} from '../types.ts';
import { rangesShape } from './message-shape.ts';
import {
  as,
  count,
  join,
  json,
  jsonObject,
  list,
  listOf,
  renameField,
  object,
  type ObjectShape,
  optional,
  or,
  type Reading,
  type Shape,
  type Stored,
  timestamp,
  uuid,
  whole,
  withFields,
} from './shape.ts';
import { errorShape, settingsShape, stepShape, usageShape } from './step-shape.ts';

const text = as(z.string());
const time = as(timestamp);
const number = as(z.number());

const signalShape = object<StopSignal>({
  reason: as(z.custom<StopReason>(isStopReason, 'expected a stop reason')),
  message: or(text, ''),
  context: or(as(jsonObject), {}),
  source: or(text, null),
  at: time,
});

export const continuationShape = object<ExecutionContinuation>({
  stopSignals: or(list(signalShape), []),
  isContinuationRequested: or(as(z.boolean()), false),
  overridden: or(list(signalShape), []),
});

const amount = z.optional(z.nullable(z.number().check(z.nonnegative())));
const moment = z.optional(z.nullable(timestamp.check(z.nonnegative())));
/** Every limit of the table of limits. */
export const budgetShape: ObjectShape<ExecutionBudget> = {
  schema: z.object(
    Object.fromEntries(limits.map(({ key, unit }) => [key, unit === 'moment' ? moment : amount])),
  ) as unknown as z.ZodMiniType<Stored>,
  encode: (budget) => ({ ...budget }),
  decode: (stored: Partial<ExecutionBudget>) => budgetOf(stored),
};

const entryFields = object<Omit<StepExecution, 'id'>>({
  step: stepShape,
  continuation: whole(continuationShape),
  startedAt: time,
  completedAt: time,
  durationMs: number,
});
/** A finished step. */
export const stepExecutionShape: ObjectShape<StepExecution> = {
  ...entryFields,
  decode(stored: never, ctx, path) {
    const entry = entryFields.decode(stored, ctx, path);
    return { id: entry.step.id, ...entry };
  },
};

/** A date that a person or another program may have written as text; null for an unreadable one. */
const looseTime: Shape<number | null> = {
  schema: z.union([timestamp, z.string()]),
  decode(stored: number | string) {
    if (typeof stored !== 'string') return stored;
    const parsed = Date.parse(stored);
    return Number.isNaN(parsed) ? null : parsed;
  },
};

const breakpointSchema: z.ZodMiniType<Breakpoint> = z.object({
  id: z.string(),
  on: z.discriminatedUnion('type', [
    z.object({ type: z.literal('next') }),
    z.object({ type: z.literal('model') }),
    z.object({ type: z.literal('tool'), toolName: z.string(), isAfter: z.optional(z.boolean()) }),
    z.object({ type: z.literal('step'), stepType: z.enum(['error', 'tool-execution', 'final-response']) }),
    z.object({
      type: z.literal('budget'),
      limit: z.enum(['steps', 'tokens', 'seconds', 'cost']),
      left: z.number(),
    }),
    z.object({ type: z.literal('finding'), code: z.nullable(z.string()) }),
  ]),
  isOnce: z.boolean(),
});
const addressSchema: z.ZodMiniType<BreakAddress> = z.object({
  point: z.enum(['model', 'tool', 'answer', 'end']),
  step: count,
  toolCallId: z.nullable(z.string()),
});
const hitShape = as<BreakHit>(z.object({ breakpointId: z.string(), at: addressSchema }));
const granted = optional(as(z.number().check(z.nonnegative())));
const grantShape = object<Grant>({
  steps: granted,
  tokens: granted,
  seconds: granted,
  cost: granted,
  deadline: granted,
});
const limitNames = [...limits.map(({ key }) => key), 'maxTotalSteps', 'sessionTokens', 'sessionCost'];
const limitsShape = object<RunLimits>(Object.fromEntries(limitNames.map((name) => [name, granted])));

export const executionStatus = z.enum(['pending', 'in-progress', 'completed', 'stopped', 'failed']);
const executionFields = object<Omit<ExecutionState, 'startedAt'> & { readonly startedAt: number | null }>({
  executionId: as(uuid),
  turnId: optional(text),
  by: optional(text),
  status: as(executionStatus),
  startedAt: or(looseTime, null),
  completedAt: or(looseTime, null),
  stepExecutions: renameField('steps', or(list(stepExecutionShape), [])),
  continuation: whole(continuationShape),
  currentStepStartedAt: or(time, null),
  currentStep: or(stepShape, null),
  waitedMs: or(as(count), 0),
  waitingSince: or(time, null),
  errors: or(list(errorShape), []),
  extraUsage: or(usageShape, null),
  breakHit: or(hitShape, null),
  breakPassed: or(as(addressSchema), null),
  grants: optional(grantShape),
  limits: optional(limitsShape),
});
export const executionShape: ObjectShape<ExecutionState> = {
  ...executionFields,
  decode(stored: never, ctx, path) {
    const execution = executionFields.decode(stored, ctx, path);
    const isOpen = execution.status === 'pending' || execution.status === 'in-progress';
    const startedAt = execution.startedAt ?? ctx.env.now();
    return { ...execution, startedAt, ...(isOpen ? { completedAt: null } : {}) } as ExecutionState;
  },
};

const optionalNumber = optional(number);
const priceShape = object<ModelPrice>({
  input: number,
  output: number,
  cacheRead: optionalNumber,
  cacheWrite: optionalNumber,
});
const llmConfigShape = object<LlmConfig>({
  model: or(text, null),
  settings: or(settingsShape, {}),
  prices: optional(
    as(
      z.catchall(z.object({}), priceShape.schema) as unknown as z.ZodMiniType<
        NonNullable<LlmConfig['prices']>
      >,
    ),
  ),
});

const formatShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json'), schema: jsonObject, name: z.exactOptional(z.string()) }),
]) as z.ZodMiniType<ResponseFormat>;

export const pluginsSchema: z.ZodMiniType<PluginStates> = z.catchall(
  z.object({}),
  z.object({ version: count, revision: count, data: json }),
);

const sectionShape = object<MessageSection>({ name: text, messages: rangesShape });
/** Sections. Those of one name are merged in order, and empty ones are kept. */
const storeShape: Required<Shape<MessageStore>> = {
  schema: list(sectionShape).schema,
  encode: ({ sections }, ctx) => sections.map((section) => sectionShape.encode(section, ctx)),
  decode: (stored: readonly never[], ctx, path) =>
    stored.reduce((store: MessageStore, section, index) => {
      const { name, messages } = sectionShape.decode(section, ctx, join(path, String(index)));
      if (store.sections.some((other) => other.name === name)) return append(store, messages, name);
      return messages.length === 0
        ? { sections: [...store.sections, { name, messages }] }
        : withSection(store, name, messages);
    }, empty()),
};

type StoredRetained = { readonly keys: readonly string[]; readonly messages: readonly number[] };
const retainedShape: Shape<AgentState['retained']> = {
  schema: z.object({ keys: z.array(z.string()), messages: rangesShape.schema }),
  encode: (retained, { table }) => ({
    keys: Object.keys(retained),
    messages: table.rangesOf(Object.values(retained)),
  }),
  decode({ keys, messages }: StoredRetained, ctx: Reading, path: string) {
    const found = rangesShape.decode(messages as never, ctx, join(path, 'messages'));
    return Object.fromEntries(
      keys.flatMap((key, index) => (found[index] === undefined ? [] : [[key, found[index]]])),
    );
  },
};

const contextFields = object<AgentState['context']>({
  store: renameField('sections', whole(storeShape, [])),
  metadata: or(as(jsonObject), {}),
  systemPrompt: or(text, ''),
  responseFormat: or(as(formatShape), null),
});
const stateFields = object<Omit<AgentState, 'context' | 'texts'>>({
  agentId: as(uuid),
  parentAgentId: or(as(uuid), null),
  createdAt: time,
  updatedAt: time,
  seq: or(as(count), 0),
  executionCount: as(count),
  llmConfig: or(llmConfigShape, null),
  plugins: or(as(pluginsSchema), {}),
  retained: or(retainedShape, {}),
  spentBefore: or(
    as<SpentBefore>(
      z.object({
        tokens: z.number().check(z.nonnegative()),
        cost: z.number().check(z.nonnegative()),
        hasUnknownCost: z.boolean(),
      }),
    ),
    null,
  ),
  breakpoints: or(as(listOf(breakpointSchema)), []),
  execution: or(executionShape, null),
});

/** A state; its texts stand beside it. */
export const stateShape: ObjectShape<AgentState> = {
  schema: withFields(stateFields, (contextFields.schema as unknown as z.ZodMiniObject).shape),
  // The sections come first, so that the messages of a document stand in their order.
  encode: (state, ctx) => ({
    ...contextFields.encode(state.context, ctx),
    ...stateFields.encode(state, ctx),
  }),
  decode: (stored: never, ctx, path) => ({
    ...stateFields.decode(stored, ctx, path),
    context: contextFields.decode(stored, ctx, path),
    texts: Object.fromEntries(ctx.texts) as { readonly [hash: string]: JsonValue },
  }),
};
