import { type LlmConfig, ownLlmConfig, type ResponseFormat } from '../llm-config.ts';
import { type Env, systemEnv } from '../env.ts';
import { normalizeMessages } from '../normalize-message.ts';
import { toJson, toJsonObject } from '../../kit/to-json.ts';
import { freeze } from '../../kit/freeze.ts';
import { of as idOf } from '../id.ts';
import type { JsonObject } from '../../kit/json.ts';
import { empty, withSection } from '../message-store.ts';
import type { Message } from '../message.ts';
import type { AgentState, ExecutionStatus } from '../types.ts';
import type { Usage } from '../usage.ts';
import { explain, fresh } from '../execution-continuation.ts';
import { memoize } from '../../kit/memoize.ts';
import type { ErrorInfo } from '../error-info.ts';
import { errors, hasErrors, status, stepCount, usage } from './accessors.ts';

type AgentStateInit = {
  systemPrompt?: string;
  messages?: readonly Message[];
  metadata?: JsonObject;
  llmConfig?: LlmConfig | null;
  responseFormat?: ResponseFormat | null;
  agentId?: string;
  parentAgentId?: string | null;
};

/**
 * Creates an agent state that has not run yet. Values are copied: messages as `Message.of` does, the rest as JSON.
 * @throws AgentError `id-invalid` for an id that is not a UUID, `message-invalid` for a value that is no message,
 * `llm-settings-secret` when a setting looks like a secret.
 */
export function create(init: AgentStateInit = {}, env: Env = systemEnv): AgentState {
  const now = env.now();
  const parent = init.parentAgentId ?? null;
  return freeze({
    agentId: init.agentId === undefined ? env.id() : idOf(init.agentId),
    parentAgentId: parent === null ? null : idOf(parent),
    createdAt: now,
    updatedAt: now,
    seq: 0,
    executionCount: 0,
    llmConfig: init.llmConfig ? ownLlmConfig(init.llmConfig) : null,
    context: {
      store: withSection(empty(), 'messages', normalizeMessages(init.messages ?? [], env)),
      metadata: toJsonObject(init.metadata),
      systemPrompt: init.systemPrompt ?? '',
      responseFormat: toJson(init.responseFormat) as ResponseFormat | null,
    },
    plugins: {},
    texts: {},
    retained: {},
    spentBefore: null,
    breakpoints: [],
    execution: null,
  });
}

/** A state in a few lines, for logs. */
type AgentStateSummary = {
  readonly status: ExecutionStatus | null;
  readonly executionCount: number;
  readonly hasExecution: boolean;
  readonly executionId: string | null;
  readonly steps: number;
  readonly continuation: string;
  readonly hasErrors: boolean | null;
  readonly errors: readonly ErrorInfo[];
  readonly usage: Usage;
};

/** The state in nine lines, for logs and panels. */
export const debug: (state: AgentState) => AgentStateSummary = memoize((state) => ({
  status: status(state),
  executionCount: state.executionCount,
  hasExecution: state.execution !== null,
  executionId: state.execution?.executionId ?? null,
  steps: stepCount(state),
  continuation: explain(state.execution?.continuation ?? fresh()),
  hasErrors: hasErrors(state),
  errors: errors(state),
  usage: usage(state),
}));
