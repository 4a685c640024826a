import {
  foreign,
  type Foreign,
  listOf,
  parsedJson,
  usageFrom,
} from '@vitrine/inspect/internal/foreign/foreign-values';
import { asText, noAnswer, textIn, type WireAnswer, type WireRequest, wireTool } from '../wire/api.ts';
import { chatCompletions } from '../wire/chat-completions.ts';
import type { Span } from './span.ts';

/** A call of a model as its span tells it. */
export type ToldCall = { readonly request: WireRequest; readonly answer: WireAnswer };

/**
 * Reads the span of a model call, by the conventions of OpenTelemetry for GenAI or of OpenInference, as chat
 * completions. Null when its messages are not told.
 */
export function toldCallOf({ attributes, error }: Span): ToldCall | null {
  const input = messagesOf(attributes, 'input');
  if (input === null) return null;
  const [output] = messagesOf(attributes, 'output') ?? [];
  // OpenInference keeps the whole answer of the responses API, which repeats the prompt.
  const whole = foreign(json(attributes['output.value']));
  const told = json(attributes['gen_ai.system_instructions'] ?? whole['instructions']);
  const system = typeof told === 'string' ? told : textIn(listOf(told).map(({ content }) => content));
  const model = attributes['gen_ai.request.model'] ?? attributes['llm.model_name'];
  const lead = system === '' ? [] : [{ role: 'system', content: system }];
  const request = chatCompletions.request({ model, messages: [...lead, ...input] }, '', new Map());
  const tools = listOf(json(attributes['gen_ai.tool.definitions']) ?? whole['tools']).map(
    ({ name, description, parameters, inputSchema }) =>
      wireTool(name, description, parameters ?? inputSchema),
  );
  const answer =
    output === undefined && error !== null ? noAnswer : answerOf(attributes, whole['id'], output);
  return { request: { ...request, tools, api: 'spans' }, answer: { ...answer, error } };
}

const counts = {
  inputTokens: ['gen_ai.usage.input_tokens', 'llm.token_count.prompt'],
  outputTokens: ['gen_ai.usage.output_tokens', 'llm.token_count.completion'],
  cacheReadTokens: ['gen_ai.usage.cache_read.input_tokens', 'llm.token_count.prompt_details.cache_read'],
  cacheWriteTokens: [
    'gen_ai.usage.cache_creation.input_tokens',
    'llm.token_count.prompt_details.cache_write',
  ],
  reasoningTokens: ['gen_ai.usage.reasoning.output_tokens', 'llm.token_count.completion_details.reasoning'],
} as const;

function answerOf(attributes: Foreign, ownId: unknown, output: Foreign | undefined): WireAnswer {
  const [reason] = [attributes['gen_ai.response.finish_reasons'] ?? attributes['llm.finish_reason']].flat();
  const finish_reason = reason ?? output?.['finish_reason'] ?? (output && 'stop');
  const id = attributes['gen_ai.response.id'] ?? ownId;
  const model = attributes['gen_ai.response.model'] ?? attributes['llm.model_name'];
  const usage = Object.entries(counts).map(([name, [a, b]]) => [name, attributes[a] ?? attributes[b]]);
  const answer = chatCompletions.answer([{ id, model, choices: [{ message: output ?? {}, finish_reason }] }]);
  return { ...answer, usage: usageFrom(Object.fromEntries(usage) as Foreign) };
}

/** The messages of one side in the form of chat completions; null when they are not told. */
function messagesOf(attributes: Foreign, side: 'input' | 'output'): readonly Foreign[] | null {
  const told = json(attributes[`gen_ai.${side}.messages`]);
  if (Array.isArray(told)) return listOf(told).flatMap(chatMessagesOf);
  const flat = listAt(attributes, `llm.${side}_messages`).map((entry) => {
    const texts = listAt(entry, 'message.contents').map((part) => part['message_content.text']);
    const tool_calls = listAt(entry, 'message.tool_calls').map((call) => {
      const [name, args] = [call['tool_call.function.name'], call['tool_call.function.arguments']];
      return { id: call['tool_call.id'], function: { name, arguments: args } };
    });
    const [role, content, tool_call_id] = ['role', 'content', 'tool_call_id'].map(
      (name) => entry[`message.${name}`],
    );
    return { role, content: content ?? texts, tool_call_id, tool_calls };
  });
  return flat.length === 0 ? null : flat;
}

/** A message of the conventions for GenAI; it may hold the results of several calls. */
function chatMessagesOf({ role, parts, finish_reason }: Foreign): readonly Foreign[] {
  const partsOf = (types: RegExp): readonly Foreign[] =>
    listOf(parts).filter(({ type }) => types.test(asText(type)));
  const results = partsOf(/^tool_call_response$/).map(({ id, response, result }) => {
    return { role: 'tool', tool_call_id: id, content: asText(response ?? result) };
  });
  const tool_calls = partsOf(/^tool_call$/).map(({ id, name, arguments: args }) => {
    return { id, function: { name, arguments: asText(args ?? {}) } };
  });
  const files = partsOf(/^(blob|file|uri)$/).map((part) => ({ ...part, type: 'file' }));
  const content = [...partsOf(/^text$/).map(({ content: text }) => text), ...files];
  const reasoning = partsOf(/^reasoning$/).map(({ content: text }) => asText(text));
  if (results.length > 0 && content.length + tool_calls.length === 0) return results;
  return [...results, { role, content, finish_reason, tool_calls, reasoning: reasoning.join('') }];
}

/** A list that is written flat, as `llm.input_messages.0.message.role`: its entries, with the rest of each name. */
function listAt(attributes: Foreign, place: string): readonly Foreign[] {
  const entries = new Map<number, Record<string, unknown>>();
  for (const [name, value] of Object.entries(attributes)) {
    const [index = '', ...rest] = name.startsWith(`${place}.`) ? name.slice(place.length + 1).split('.') : [];
    if (rest.length === 0) continue;
    const entry = entries.get(Number(index)) ?? (Object.create(null) as Record<string, unknown>);
    entry[rest.join('.')] = value;
    entries.set(Number(index), entry);
  }
  return [...entries].toSorted(([a], [b]) => a - b).map(([, entry]) => entry);
}

/** The value of a text that may be JSON. */
function json(value: unknown): unknown {
  return typeof value === 'string' ? parsedJson(value) : value;
}
