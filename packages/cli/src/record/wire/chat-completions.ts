import { foreign, type Foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import * as wire from './api.ts';

/** Chat completions, as OpenAI, Ollama, vLLM and many others speak them. */
export const chatCompletions: wire.WireApi = {
  name: 'chat-completions',
  paths: ['/chat/completions'],
  request(body) {
    const { model, stream: _, stream_options: __, messages, tools, tool_choice, ...settings } = body;
    const all = listOf(messages).map(messageOf);
    const first = all.findIndex(({ role }) => role !== 'system');
    const lead = first < 0 ? all.length : first;
    return {
      api: 'chat-completions',
      model: textOf(model),
      system: all
        .slice(0, lead)
        .map(({ text }) => text)
        .join('\n\n'),
      messages: all.slice(lead),
      tools: listOf(tools).map(({ type, function: given, custom }) => {
        const { name, description, parameters } = foreign(given ?? custom);
        return wire.wireTool(name ?? type, description, parameters);
      }),
      toolChoice: tool_choice,
      previous: null,
      conversation: null,
      settings,
    };
  },
  answer(events) {
    const choices = events.flatMap(({ choices: given }) =>
      listOf(given)
        .filter(({ index = 0 }) => index === 0)
        .slice(0, 1),
    );
    return {
      ...wire.noAnswer,
      model: textOf(wire.lastOf(events.map(({ model }) => model))),
      parts: partsOf(choices.map(({ delta, message }) => foreign(delta ?? message))),
      finish: wire.finishIn(wire.lastOf(choices.map(({ finish_reason }) => finish_reason))),
      usage: wire.usageIn(wire.lastOf(events.map(({ usage }) => usage)), {
        inputTokens: ['prompt_tokens'],
        outputTokens: ['completion_tokens'],
        cacheReadTokens: ['prompt_tokens_details.cached_tokens'],
        reasoningTokens: ['completion_tokens_details.reasoning_tokens'],
      }),
      error: wire.errorIn(events),
      ids: wire.idsIn(events.map(({ id }) => id)),
    };
  },
};

function messageOf(message: Foreign): wire.WireMessage {
  const { role, content, tool_call_id } = message;
  if (role === 'tool' || role === 'function')
    return wire.wireMessage('tool', wire.textIn(content), { callId: textOf(tool_call_id) });
  if (role === 'assistant') return wire.assistantMessage(partsOf([message]));
  const known = role === 'system' || role === 'developer' ? 'system' : 'user';
  return wire.wireMessage(known, wire.textIn(content), { files: wire.filesIn(content) });
}

/** The parts of a message, which may come in pieces. */
function partsOf(pieces: readonly Foreign[]): readonly wire.WirePart[] {
  const thoughts = pieces.map(({ reasoning_content, reasoning }) =>
    wire.asText(reasoning_content ?? reasoning),
  );
  const texts = pieces.map(({ content, refusal }) => wire.textIn(content) + wire.asText(refusal));
  const calls = new Map<unknown, wire.WireCall>();
  for (const { id, index, function: given, custom } of pieces.flatMap(({ tool_calls }) =>
    listOf(tool_calls),
  )) {
    const { name, arguments: args, input } = foreign(given ?? custom);
    const place = index ?? calls.size;
    const known = calls.get(place);
    calls.set(place, {
      id: known?.id ?? textOf(id),
      name: known?.name ?? wire.asText(name),
      args: (known?.args ?? '') + wire.asText(args ?? input),
    });
  }
  return [
    ...wire.textPart('reasoning', thoughts.join('')),
    ...wire.textPart('text', texts.join('')),
    ...Array.from(calls.values(), (call) => ({ type: 'call', ...call }) as const),
  ];
}
