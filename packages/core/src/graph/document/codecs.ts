import { type ExecutionBudget, of as budgetOf } from '../execution-budget.ts';
import type { ExecutionContinuation } from '../execution-continuation.ts';
import type { Env } from '../env.ts';
import type { AgentState, AgentStep, ExecutionState, StepExecution, ToolExecution } from '../types.ts';
import {
  decodeAgentState,
  decodeContinuation,
  decodeExecution,
  decodeStep,
  decodeStepExecution,
  decodeToolExecution,
} from './decode.ts';
import { fromDocument, type StateDocument, toDocument, type WarnReading } from './document.ts';
import {
  encodeAgentState,
  encodeContinuation,
  encodeExecution,
  encodeStep,
  encodeStepExecution,
  encodeToolExecution,
} from './encode.ts';
import {
  agentStateSchema,
  budgetSchema,
  continuationSchema,
  executionSchema,
  stepExecutionSchema,
  stepSchema,
  toolExecutionSchema,
} from './schema.ts';

/** Writes and reads one kind of object. Reading validates, and throws AgentError `state-invalid` with the path. */
export type Codec<Value> = {
  readonly toJSON: (value: Value) => StateDocument;
  /** Reads a document. `warn` receives the path of everything that was left out: settings that look like secrets. */
  readonly fromJSON: (document: unknown, env?: Env, warn?: WarnReading) => Value;
};

export const agentStateCodec: Codec<AgentState> = {
  toJSON: (state) => toDocument('agent-state', state, encodeAgentState, state.texts),
  fromJSON: (document, env, warn) =>
    fromDocument('agent-state', document, agentStateSchema, decodeAgentState, env, warn),
};

export const executionStateCodec: Codec<ExecutionState> = {
  toJSON: (execution) => toDocument('execution-state', execution, encodeExecution),
  fromJSON: (document, env) =>
    fromDocument(
      'execution-state',
      document,
      executionSchema,
      (encoded, ctx) => decodeExecution(encoded, ctx, 'execution'),
      env,
    ),
};

export const agentStepCodec: Codec<AgentStep> = {
  toJSON: (step) => toDocument('agent-step', step, encodeStep),
  fromJSON: (document, env) =>
    fromDocument('agent-step', document, stepSchema, (encoded, ctx) => decodeStep(encoded, ctx, 'step'), env),
};

export const stepExecutionCodec: Codec<StepExecution> = {
  toJSON: (entry) => toDocument('step-execution', entry, encodeStepExecution),
  fromJSON: (document, env) =>
    fromDocument(
      'step-execution',
      document,
      stepExecutionSchema,
      (encoded, ctx) => decodeStepExecution(encoded, ctx, 'step'),
      env,
    ),
};

export const toolExecutionCodec: Codec<ToolExecution> = {
  toJSON: (execution) =>
    toDocument('tool-execution', execution, (value, _table, child) => encodeToolExecution(value, [], child)),
  fromJSON: (document, env) =>
    fromDocument(
      'tool-execution',
      document,
      toolExecutionSchema,
      (encoded, ctx) => decodeToolExecution(encoded, [], ctx, 'tool'),
      env,
    ),
};

export const executionContinuationCodec: Codec<ExecutionContinuation> = {
  toJSON: (continuation) =>
    toDocument('execution-continuation', continuation, (value) => encodeContinuation(value) ?? {}),
  fromJSON: (document, env) =>
    fromDocument('execution-continuation', document, continuationSchema, decodeContinuation, env),
};

export const executionBudgetCodec: Codec<ExecutionBudget> = {
  toJSON: (budget) => toDocument('execution-budget', budget, (value) => ({ ...value })),
  fromJSON: (document, env) =>
    fromDocument(
      'execution-budget',
      document,
      budgetSchema,
      (encoded) => budgetOf(encoded as Partial<ExecutionBudget>),
      env,
    ),
};
