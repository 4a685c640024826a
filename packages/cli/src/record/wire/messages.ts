import { foreign, type Foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import * as wire from './api.ts';

/** The messages API of Anthropic. */
export const messages: wire.WireApi = {
  name: 'messages',
  paths: ['/messages'],
  request(body) {
    const { model, stream: _, messages: given, tools, tool_choice, system, ...settings } = body;
    return {
      api: 'messages',
      model: textOf(model),
      system: withoutBilling(system),
      messages: listOf(given).flatMap(messagesOf),
      tools: listOf(tools).map(({ name, description, input_schema }) =>
        wire.wireTool(name, description, input_schema),
      ),
      toolChoice: tool_choice,
      previous: null,
      conversation: null,
      settings,
    };
  },
  answer(events) {
    const { id, model, content, stop_reason, usage } = wholeOf(events);
    return {
      ...wire.noAnswer,
      model: textOf(model),
      parts: partsOf(listOf(content)),
      finish: wire.finishIn(stop_reason),
      usage: wire.usageIn(usage, {
        inputTokens: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
        outputTokens: ['output_tokens'],
        cacheReadTokens: ['cache_read_input_tokens'],
        cacheWriteTokens: ['cache_creation_input_tokens'],
      }),
      error: wire.errorIn(events),
      ids: wire.idsIn([id]),
    };
  },
};

/** The system prompt. Claude Code puts a block with its version before it, which changes with each release. */
function withoutBilling(system: unknown): string {
  if (!Array.isArray(system)) return wire.textIn(system);
  const isBilling = ({ text }: Foreign): boolean =>
    wire.asText(text).startsWith('x-anthropic-billing-header');
  return wire.textIn(listOf(system).filter((block) => !isBilling(block)));
}

/** The messages in one of the API: results come first, and are messages of their own. */
function messagesOf({ role, content }: Foreign): readonly wire.WireMessage[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  if (role === 'assistant') return [wire.assistantMessage(partsOf(parts))];
  const results = parts
    .filter(({ type }) => type === 'tool_result')
    .map(({ content: output, tool_use_id, is_error }: Foreign) =>
      wire.wireMessage('tool', wire.textIn(output), {
        callId: textOf(tool_use_id),
        isError: is_error === true,
      }),
    );
  const others = parts.filter(({ type }) => type !== 'tool_result');
  if (others.length === 0) return results;
  const known = role === 'system' ? 'system' : 'user';
  return [...results, wire.wireMessage(known, wire.textIn(others), { files: wire.filesIn(others) })];
}

/** The parts of an answer; tools of the provider are left out. */
function partsOf(blocks: readonly Foreign[]): readonly wire.WirePart[] {
  return blocks.flatMap(({ type, text, thinking, id, name, input }) => {
    if (type === 'tool_use') return [wire.callPart(id, name, input)];
    if (type === 'thinking') return wire.textPart('reasoning', thinking);
    return type === 'text' ? wire.textPart('text', text) : [];
  });
}

/** The field of a block that each kind of delta adds to, and the field of the delta. */
const grown: Readonly<Record<string, readonly [field: string, delta: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  input_json_delta: ['input', 'partial_json'],
};

/** The message that the events of an answer make. */
function wholeOf(events: readonly Foreign[]): Foreign {
  let whole: Foreign = {};
  const blocks = new Map<unknown, Foreign>();
  for (const { type, index, message, content_block, delta: given, usage, ...body } of events) {
    const delta = foreign(given);
    if (type === 'message') return { ...body, usage };
    if (type === 'message_start') whole = foreign(message);
    else if (type === 'message_delta')
      whole = { ...whole, ...delta, usage: { ...foreign(whole['usage']), ...foreign(usage) } };
    else if (type === 'content_block_start') blocks.set(index, foreign(content_block));
    const [field, piece] = grown[wire.asText(delta['type'])] ?? [];
    if (type !== 'content_block_delta' || field === undefined || piece === undefined) continue;
    const block = blocks.get(index) ?? {};
    const before = typeof block[field] === 'string' ? block[field] : '';
    blocks.set(index, { ...block, [field]: before + wire.asText(delta[piece]) });
  }
  return { ...whole, content: [...blocks.values()] };
}
