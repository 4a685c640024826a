import type { JsonValue } from '../../kit/json.ts';
import type { InferenceClient, InferenceRequest } from '../inference-client.ts';
import type { LanguageModel, ModelStreamPart } from './language-model.ts';
import { modelEvents } from './model-events.ts';
import { toModelPrompt } from './model-prompt.ts';

/** Settings that a request may pass on; other settings are ignored. */
const settingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
] as const;

/** Creates an inference client from any AI SDK language model (`openai('…')`, `anthropic('…')`, …). */
export function fromLanguageModel(model: LanguageModel): InferenceClient {
  return {
    stream(request, call) {
      const open = async (): Promise<ReadableStream<ModelStreamPart>> =>
        (await model.doStream({ ...callOptions(request), abortSignal: call.signal })).stream;
      return { [Symbol.asyncIterator]: () => modelEvents(open, request, call) };
    },
  };
}

function callOptions(request: InferenceRequest): object {
  const { settings, tools, toolChoice, responseFormat } = request;
  const allowed = settingNames.filter((name) => settings[name] !== undefined && settings[name] !== null);
  return {
    prompt: toModelPrompt(request.messages),
    ...Object.fromEntries(allowed.map((name) => [name, settings[name]])),
    ...reasoningOf(settings['reasoning']),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            name,
            description,
            inputSchema,
          })),
          toolChoice:
            typeof toolChoice === 'string'
              ? { type: toolChoice }
              : { type: 'tool', toolName: toolChoice.toolName },
        }),
    ...(responseFormat === null ? {} : { responseFormat }),
  };
}

/**
 * Converts the reasoning level, which every provider package maps to its own options (`LanguageModelV4`; older
 * versions ignore it).
 */
function reasoningOf(level: JsonValue | undefined): { reasoning?: string } {
  if (level === 'off') return { reasoning: 'none' };
  return level === 'low' || level === 'medium' || level === 'high' ? { reasoning: level } : {};
}
