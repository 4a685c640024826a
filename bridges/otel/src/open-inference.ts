import type { Attributes } from '@opentelemetry/api';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import type { Usage } from '@vitrine/core/internal/graph/usage';
import { redact } from '@vitrine/inspect/internal/redact';
import { modelName, type TracedCall } from './conventions.ts';

// OpenInference 2.12, the vocabulary of Arize Phoenix. Its package is not needed: attributes are names.

export type SpanKindName = 'AGENT' | 'CHAIN' | 'EVALUATOR' | 'LLM' | 'TOOL';

export function kindAttributes(kind: SpanKindName, sessionId: string): Attributes {
  return { 'openinference.span.kind': kind, 'session.id': sessionId };
}

/** The agent as a node of the graph of agents. */
export function graphAttributes(
  name: string,
  { agentId, parentAgentId }: { readonly agentId: string; readonly parentAgentId: string | null },
): Attributes {
  return {
    'agent.name': name,
    'graph.node.id': agentId,
    'graph.node.name': name,
    ...(parentAgentId === null ? {} : { 'graph.node.parent_id': parentAgentId }),
  };
}

/** The request of a model call, without its messages. */
export function requestAttributes({ model, settings }: TracedCall): Attributes {
  return {
    ...(model === null ? {} : { 'llm.model_name': modelName(model) }),
    'llm.invocation_parameters': JSON.stringify(redact(settings) as JsonObject),
  };
}

/** Tokens and money of a model call. */
export function tokenAttributes(usage: Usage): Attributes {
  return {
    'llm.token_count.prompt': usage.inputTokens,
    'llm.token_count.completion': usage.outputTokens,
    'llm.token_count.total': usage.totalTokens,
    'llm.token_count.prompt_details.cache_read': usage.cacheReadTokens,
    'llm.token_count.prompt_details.cache_write': usage.cacheWriteTokens,
    'llm.token_count.completion_details.reasoning': usage.reasoningTokens,
    ...(usage.cost === null ? {} : { 'llm.cost.total': usage.cost }),
  };
}
