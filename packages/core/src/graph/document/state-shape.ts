import type { AnyFields, FieldsOf } from '../../kit/check.ts';
import * as is from '../../kit/check.ts';
import type { JsonValue } from '../../kit/json.ts';
import { type ExecutionBudget, of as budgetOf } from '../execution-budget.ts';
import type { ExecutionContinuation } from '../execution-continuation.ts';
import { limits } from '../limits.ts';
import type { LlmConfig } from '../llm-config.ts';
import { append, empty, type MessageSection, type MessageStore, withSection } from '../message-store.ts';
import * as nouns from '../shapes.ts';
import type {
  AgentState,
  BreakHit,
  Breakpoint,
  ExecutionState,
  RunLimits,
  SpentBefore,
  StepExecution,
} from '../types.ts';
import { rangesShape } from './message-ranges.ts';
import {
  join,
  listOf,
  renameField,
  storedObject,
  type ObjectShape,
  type Reading,
  type Shape,
  type TwoWayShape,
  uuid,
  whole,
  withFields,
} from './shape.ts';
import { settingsShape, stepShape, usageShape } from './step-shape.ts';

export const continuationShape = storedObject<ExecutionContinuation>({
  stopSignals: is.or(is.list(nouns.signal), []),
  isContinuationRequested: is.or(is.flag, false),
  overridden: is.or(is.list(nouns.signal), []),
});

/** Every limit of the table of limits. */
const budgetFields = storedObject<ExecutionBudget>(
  Object.fromEntries(
    limits.map(({ key, unit }) => [key, is.or(unit === 'moment' ? is.count : is.amount, null)]),
  ) as FieldsOf<ExecutionBudget>,
);
export const budgetShape: ObjectShape<ExecutionBudget> = {
  ...budgetFields,
  encode: (budget) => ({ ...budget }),
  decode: (stored: never, ctx, path) => budgetOf(budgetFields.decode(stored, ctx, path)),
};

const entryFields = storedObject<Omit<StepExecution, 'id'>>({
  step: stepShape,
  continuation: whole(continuationShape),
  startedAt: is.timestamp,
  completedAt: is.timestamp,
  durationMs: is.number,
});
export const stepExecutionShape: ObjectShape<StepExecution> = {
  ...entryFields,
  decode(stored: never, ctx, path) {
    const entry = entryFields.decode(stored, ctx, path);
    return { id: entry.step.id, ...entry };
  },
};

/** A date that a person or another program may have written as text; null for an unreadable one. */
const looseTime: Shape<number | null> = {
  check: is.either(is.timestamp, is.text),
  decode(stored: number | string) {
    if (typeof stored !== 'string') return stored;
    const parsed = Date.parse(stored);
    return Number.isNaN(parsed) ? null : parsed;
  },
};

const breakpoint = is.plain<Breakpoint>({ id: is.text, on: nouns.breakCondition, isOnce: is.flag });
const hit = is.plain<BreakHit>({ breakpointId: is.text, at: nouns.breakAddress });
const limitNames = [...limits.map(({ key }) => key), 'maxTotalSteps', 'sessionTokens', 'sessionCost'];
const limitsShape = storedObject<RunLimits>(
  Object.fromEntries(
    limitNames.map((name) => [name, is.optional(is.amount)]),
  ) as unknown as FieldsOf<RunLimits>,
);

const executionFields = storedObject<
  Omit<ExecutionState, 'startedAt'> & { readonly startedAt: number | null }
>({
  executionId: uuid,
  turnId: is.optional(is.text),
  turnModel: is.optional(is.text),
  by: is.optional(is.text),
  status: nouns.executionStatus,
  startedAt: is.or(looseTime, null),
  completedAt: is.or(looseTime, null),
  stepExecutions: renameField('steps', is.or(listOf(stepExecutionShape), [])),
  continuation: whole(continuationShape),
  currentStepStartedAt: is.or(is.timestamp, null),
  currentStep: is.or(stepShape, null),
  waitedMs: is.or(is.count, 0),
  waitingSince: is.or(is.timestamp, null),
  errors: is.or(is.list(nouns.error), []),
  extraUsage: is.or(usageShape, null),
  breakHit: is.or(hit, null),
  breakPassed: is.or(nouns.breakAddress, null),
  grants: is.optional(nouns.grant),
  limits: is.optional(limitsShape),
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

const llmConfigShape = storedObject<LlmConfig>({
  ...nouns.llmConfig.fields,
  settings: is.or(settingsShape, {}),
});

const sectionShape = storedObject<MessageSection>({ name: is.text, messages: rangesShape });
/** Sections. Those of one name are merged in order, and empty ones are kept. */
const storeShape: TwoWayShape<MessageStore> = {
  check: listOf(sectionShape).check,
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
  check: storedObject({ keys: is.list(is.text), messages: rangesShape }).check,
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

const contextFields = storedObject<AgentState['context']>({
  store: renameField('sections', whole(storeShape, [])),
  metadata: is.or(is.jsonObject, {}),
  systemPrompt: is.or(is.text, ''),
  responseFormat: is.or(nouns.responseFormat, null),
});
const stateFields = storedObject<Omit<AgentState, 'context' | 'texts'>>({
  agentId: uuid,
  parentAgentId: is.or(uuid, null),
  createdAt: is.timestamp,
  updatedAt: is.timestamp,
  seq: is.or(is.count, 0),
  executionCount: is.count,
  llmConfig: is.or(llmConfigShape, null),
  plugins: is.or(nouns.plugins, {}),
  retained: is.or(retainedShape, {}),
  spentBefore: is.or(
    is.plain<SpentBefore>({ tokens: is.amount, cost: is.amount, hasUnknownCost: is.flag }),
    null,
  ),
  breakpoints: is.or(is.list(breakpoint), []),
  execution: is.or(executionShape, null),
});

/** A state; its texts stand beside it. */
export const stateShape: ObjectShape<AgentState> = {
  check: withFields(stateFields, contextFields.check.fields as AnyFields),
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
