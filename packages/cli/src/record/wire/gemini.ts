import { foreign, type Foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import * as wire from './api.ts';

/** The generateContent API of Gemini. Its calls have no ids: results answer them in their order. */
export const gemini: wire.WireApi = {
  name: 'gemini',
  paths: [':generateContent', ':streamGenerateContent'],
  request(body, path) {
    const { contents, systemInstruction, system_instruction, tools, toolConfig, ...settings } = body;
    return {
      api: 'gemini',
      model: path.split('/models/').at(-1)?.split(/[:/?]/)[0] ?? null,
      system: wire.textIn(foreign(systemInstruction ?? system_instruction)['parts']),
      messages: listOf(contents).flatMap(messagesOf),
      tools: listOf(tools)
        .flatMap(({ functionDeclarations }) => listOf(functionDeclarations))
        .map(({ name, description, parametersJsonSchema, parameters }) =>
          wire.wireTool(name, description, parametersJsonSchema ?? parameters),
        ),
      toolChoice: toolConfig,
      previous: null,
      conversation: null,
      settings,
    };
  },
  answer(events) {
    const candidates = events.map((event) => listOf(event['candidates'])[0] ?? {});
    return {
      ...wire.noAnswer,
      model: textOf(wire.lastOf(events.map(({ modelVersion }) => modelVersion))),
      parts: partsOf(candidates.flatMap(({ content }) => listOf(foreign(content)['parts']))),
      finish: wire.finishIn(wire.lastOf(candidates.map(({ finishReason }) => finishReason))),
      usage: wire.usageIn(wire.lastOf(events.map(({ usageMetadata }) => usageMetadata)), {
        inputTokens: ['promptTokenCount'],
        outputTokens: ['candidatesTokenCount', 'thoughtsTokenCount'],
        cacheReadTokens: ['cachedContentTokenCount'],
        reasoningTokens: ['thoughtsTokenCount'],
      }),
      error: wire.errorIn(events),
      ids: wire.idsIn(events.map(({ responseId }) => responseId)),
    };
  },
};

/** The messages in one of the API: results come first, and are messages of their own. */
function messagesOf({ role, parts: given }: Foreign): readonly wire.WireMessage[] {
  const parts = listOf(given);
  if (role === 'model') return [wire.assistantMessage(partsOf(parts))];
  const results = parts
    .filter(({ functionResponse }) => functionResponse !== undefined)
    .map(({ functionResponse }) => {
      const { id, response } = foreign(functionResponse);
      return wire.wireMessage('tool', wire.asText(response), { callId: textOf(id) });
    });
  const others = parts.filter(({ functionResponse }) => functionResponse === undefined);
  if (others.length === 0) return results;
  return [...results, wire.wireMessage('user', wire.textIn(others), { files: wire.filesIn(others) })];
}

/** The parts of an answer, which may come in pieces. */
function partsOf(pieces: readonly Foreign[]): readonly wire.WirePart[] {
  const thoughts = pieces.filter(({ thought }) => thought === true);
  const texts = pieces.filter(({ thought }) => thought !== true);
  const calls = pieces.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [foreign(functionCall)],
  );
  return [
    ...wire.textPart('reasoning', wire.textIn(thoughts)),
    ...wire.textPart('text', wire.textIn(texts)),
    ...calls.map(({ id, name, args }) => wire.callPart(id, name, args)),
  ];
}
