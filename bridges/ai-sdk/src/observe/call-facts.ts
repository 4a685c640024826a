import { type JsonValue, Usage } from '@vitrine/core';
import { foreign, jsonOf, listOf, textOf, usageFrom } from '@vitrine/inspect/internal/foreign/foreign-values';

/** A fact about a model call of a server, as it goes over the wire. */
export type Fact =
  | {
      readonly type: 'prompt';
      readonly model: string | null;
      readonly system: string;
      readonly tools: JsonValue;
      /** The number of messages of the person that were sent. */
      readonly questions: number;
    }
  | { readonly type: 'usage'; readonly model: string | null; readonly usage: Usage };

/** The facts of a run after those that the page has. */
export type Facts = { readonly run: string | null; readonly facts: readonly Fact[] };

/** The fact in the event before a model call. */
export function promptOf(event: unknown): Fact {
  const { modelId, instructions, messages, tools } = foreign(event);
  return {
    type: 'prompt',
    model: textOf(modelId),
    system: systemOf(instructions),
    tools: jsonOf(
      listOf(tools).map(({ name, description = '', inputSchema = {} }) => ({
        name,
        description,
        inputSchema,
      })),
    ),
    questions: listOf(messages).filter(({ role }) => role === 'user').length,
  };
}

/** The fact in the event after a model call; null when the provider told no usage. */
export function usageOf(event: unknown): Fact | null {
  const { modelId, usage } = foreign(event);
  const { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails } = foreign(usage);
  const { cacheReadTokens, cacheWriteTokens } = foreign(inputTokenDetails);
  const { reasoningTokens } = foreign(outputTokenDetails);
  const all = { inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens };
  const counted = usageFrom(all);
  return counted === null ? null : { type: 'usage', model: textOf(modelId), usage: counted };
}

/** Instructions are a text, or system messages. */
function systemOf(instructions: unknown): string {
  if (typeof instructions === 'string') return instructions;
  const all = Array.isArray(instructions) ? listOf(instructions) : [foreign(instructions)];
  return all.map(({ content }) => textOf(content) ?? '').join('\n\n');
}

export function factsFrom(answer: unknown): Facts {
  const { run, facts } = foreign(answer);
  return {
    run: textOf(run),
    facts: listOf(facts).flatMap((fact): readonly Fact[] => {
      const model = textOf(fact['model']);
      if (fact['type'] === 'usage')
        return [{ type: 'usage', model, usage: Usage.of(foreign(fact['usage']) as Partial<Usage>) }];
      const { system, tools, questions } = fact;
      if (fact['type'] !== 'prompt' || typeof system !== 'string') return [];
      return [{ type: 'prompt', model, system, tools: jsonOf(tools ?? []), questions: Number(questions) }];
    }),
  };
}
