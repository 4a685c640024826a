import { foreign, type Foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import * as wire from './api.ts';

/** The responses API of OpenAI. */
export const responses: wire.WireApi = {
  name: 'responses',
  paths: ['/responses'],
  request(body, _path, items) {
    const { model, stream: _, input, instructions, tools, tool_choice, ...rest } = body;
    const { previous_response_id, conversation, ...settings } = rest;
    const { lead, messages } = messagesOf(input, items);
    return {
      api: 'responses',
      model: textOf(model),
      system: [wire.asText(instructions), ...lead].filter((text) => text !== '').join('\n\n'),
      messages,
      tools: listOf(tools).map(({ name, type, description, parameters }) =>
        wire.wireTool(name ?? type, description, parameters),
      ),
      toolChoice: tool_choice,
      previous: textOf(previous_response_id),
      conversation: textOf(conversation) ?? textOf(foreign(conversation)['id']),
      settings,
    };
  },
  answer(events) {
    const end = events.findLast(({ type }) => type === undefined || ends.has(type));
    const begun = foreign(events.find(({ response }) => response !== undefined)?.['response']);
    const body: Foreign = { ...begun, ...foreign(end?.['response'] ?? end) };
    const { id, model, output, usage, status, incomplete_details, conversation } = body;
    const items = listOf(output).length > 0 ? listOf(output) : itemsOf(events);
    const isCut = status === 'incomplete';
    return {
      model: textOf(model),
      parts: items.flatMap(partsOf),
      finish:
        end === undefined ? null : wire.finishIn(isCut ? foreign(incomplete_details)['reason'] : 'stop'),
      usage: wire.usageIn(usage, {
        inputTokens: ['input_tokens'],
        outputTokens: ['output_tokens'],
        cacheReadTokens: ['input_tokens_details.cached_tokens'],
        reasoningTokens: ['output_tokens_details.reasoning_tokens'],
      }),
      error: wire.errorIn([
        body,
        ...events.map((event) => (event['type'] === 'error' ? { error: event['error'] ?? event } : {})),
      ]),
      ids: wire.idsIn([id, foreign(conversation)['id']]),
      items: new Map(items.map((item) => [wire.asText(item['id']), messageOf(item)])),
    };
  },
};

/** The types of events that hold the whole answer. */
const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The system messages at the beginning, and the others. The items of one answer are one message. */
function messagesOf(input: unknown, items: wire.WireItems) {
  const list = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
  const lead: string[] = [];
  const messages: wire.WireMessage[] = [];
  for (const item of list) {
    const message =
      item['type'] === 'item_reference' ? (items.get(wire.asText(item['id'])) ?? null) : messageOf(item);
    if (message === null) continue;
    const last = messages.at(-1);
    if (message.role === 'system' && messages.length === 0) lead.push(message.text);
    else if (message.role === 'assistant' && last?.role === 'assistant')
      messages[messages.length - 1] = wire.wireMessage('assistant', last.text + message.text, {
        calls: [...last.calls, ...message.calls],
      });
    else messages.push(message);
  }
  return { lead, messages };
}

/** The message of an item; null for reasoning and for tools of the provider. */
function messageOf(item: Foreign): wire.WireMessage | null {
  const { type, role, content, call_id, output } = item;
  if (isCall(type) || role === 'assistant') return wire.assistantMessage(partsOf(item));
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return wire.wireMessage('tool', wire.textIn(output), { callId: textOf(call_id) });
  if (type !== 'message' && role === undefined) return null;
  if (role === 'system' || role === 'developer') return wire.wireMessage('system', wire.textIn(content));
  return wire.wireMessage('user', wire.textIn(content), { files: wire.filesIn(content) });
}

function isCall(type: unknown): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** The parts of an item of an answer; none for tools of the provider. */
function partsOf(item: Foreign): readonly wire.WirePart[] {
  const { type = 'message', call_id, name, arguments: args, input, content, summary } = item;
  if (isCall(type)) return [wire.callPart(call_id, name, args ?? input)];
  if (type === 'message') return wire.textPart('text', wire.textIn(content));
  if (type !== 'reasoning') return [];
  return wire.textPart('reasoning', wire.textIn(summary) || wire.textIn(content));
}

/** The field of an item that each kind of delta adds to. */
const grown: Readonly<Record<string, string>> = {
  'response.output_text.delta': 'content',
  'response.refusal.delta': 'content',
  'response.reasoning_summary_text.delta': 'summary',
  'response.reasoning_text.delta': 'content',
  'response.function_call_arguments.delta': 'arguments',
  'response.custom_tool_call_input.delta': 'input',
};

/** The items of an answer that broke off, or whose end does not repeat them. */
function itemsOf(events: readonly Foreign[]): readonly Foreign[] {
  const items = new Map<unknown, Foreign>();
  for (const { type, item: given, item_id, delta } of events) {
    const item = foreign(given);
    const field = grown[wire.asText(type)];
    if (type === 'response.output_item.added' || type === 'response.output_item.done')
      items.set(item['id'], item);
    else if (field !== undefined) {
      const known = items.get(item_id) ?? { id: item_id, role: 'assistant' };
      const before = typeof known[field] === 'string' ? known[field] : '';
      items.set(item_id, { ...known, [field]: before + wire.asText(delta) });
    }
  }
  return [...items.values()];
}
