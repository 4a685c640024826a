import type { Attributes, HrTime } from '@opentelemetry/api';
import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';
import type { Usage } from '@vitrine/core/internal/graph/usage';
import type { AgentEventOf } from '@vitrine/core/internal/run/events';
import { attributeText, outputContent, toolContent } from './content.ts';
import {
  answerAttributes,
  type GenAiConventions,
  modelCallAttributes,
  modelName,
  type TracedCall,
  usageAttributes,
} from './conventions.ts';
import * as openInference from './open-inference.ts';

/** The vocabularies of the spans, and whether they have texts. */
export type SpanWords = {
  readonly conventions: GenAiConventions;
  readonly openInference: boolean;
  readonly content: boolean;
};

export function agentAttributes(
  words: SpanWords,
  sessionId: string,
  name: string,
  state: AgentState,
): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    'gen_ai.conversation.id': sessionId,
    'vitrine.execution_id': state.execution?.executionId,
    ...(words.openInference ? openInference.graphAttributes(name, state) : {}),
  };
}

/** The model call of the step in flight. */
export function callOfStep(state: AgentState): TracedCall {
  const sent = currentStep(state)?.sent;
  const format = state.texts[sent?.responseFormat ?? ''];
  const isNamed = typeof format === 'object' && format !== null && 'type' in format;
  return {
    model: sent?.model ?? null,
    settings: sent?.settings ?? {},
    outputType: isNamed ? String(format['type']) : null,
  };
}

/** The attributes that the span of a model call begins with. */
export function callAttributes(words: SpanWords, sessionId: string, call: TracedCall): Attributes {
  return {
    ...modelCallAttributes(call, words.conventions),
    'gen_ai.conversation.id': sessionId,
    ...(words.openInference ? openInference.requestAttributes(call) : {}),
  };
}

/** The attributes that the answer adds. */
export function responseAttributes(
  words: SpanWords,
  { response, hook }: AgentEventOf<'inference-end'>,
  state: AgentState,
): Attributes {
  const { model, usage, finishReason } = response;
  const isAsked = model !== null && model === currentStep(state)?.sent?.model;
  return {
    ...answerAttributes({ ...response, model: isAsked ? modelName(model) : model }, words.conventions),
    ...costAttributes(words, usage),
    ...(hook === undefined ? {} : { 'vitrine.replaced_by': hook }),
    ...(words.openInference ? { 'llm.finish_reason': finishReason } : {}),
    ...(words.content ? outputContent(state, finishReason, words.openInference) : {}),
  };
}

/** Tokens and money of a model call. */
export function costAttributes(words: SpanWords, usage: Usage): Attributes {
  return {
    ...usageAttributes(usage, words.conventions),
    ...(usage.cost === null ? {} : { 'vitrine.cost': usage.cost }),
    ...(usage.isEstimated === true ? { 'vitrine.is_estimated': true } : {}),
    ...(words.openInference ? openInference.tokenAttributes(usage) : {}),
  };
}

/** The attributes that the span of a tool call begins with, the answer of a person included. */
export function toolAttributes(words: SpanWords, id: string, call: ToolExecution | null): Attributes {
  const { decision = null, isEdited, comment = null } = call?.approval ?? {};
  const name = call?.toolCall.name ?? 'unknown';
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.type': 'function',
    ...(call === null ? { 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id } : nameAttributes(call)),
    ...(decision === null ? {} : { 'vitrine.decision': decision, 'vitrine.is_edited': isEdited }),
    ...(words.openInference ? { 'tool.name': name, 'tool.id': id } : {}),
    ...(words.content ? toolContent('arguments', call?.toolCall.input, words.openInference) : {}),
    ...(words.content && comment !== null ? { 'vitrine.comment': attributeText(comment, 'comment') } : {}),
  };
}

export function nameAttributes({ id, toolCall }: ToolExecution): Attributes {
  return { 'gen_ai.tool.name': toolCall.name, 'gen_ai.tool.call.id': id };
}

/** The kind of an error; its message may contain what was said. */
export function codeOf(error: ErrorInfo | null): string {
  return error?.code ?? '_OTHER';
}

/** The message of an error, where the spans have texts. */
export function messageAttributes(words: SpanWords, { message }: ErrorInfo): Attributes {
  return words.content ? { 'exception.message': attributeText(message, 'message') } : {};
}

/** A time in the form that a span takes for a date in any year. */
export function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
