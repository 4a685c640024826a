import type { FilePart } from '@vitrine/core/internal/graph/message';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import { wellFormedJson } from '@vitrine/core/internal/kit/to-json';
import type { InferenceClient, InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import { fitMessages } from './fit-messages.ts';
import { fitTool, ownArguments, type TargetNames, toolNames } from './fit-tools.ts';
import type { LanguageModel, ModelStreamPart } from './language-model.ts';
import { modelEvents } from './model-events.ts';
import { toModelPrompt } from './model-prompt.ts';
import { filesToLeave } from './refused-files.ts';
import { type Target, targetOf, withAccepted } from './targets.ts';

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

/**
 * Creates an inference client from any AI SDK language model (`openai('…')`, `anthropic('…')`, …). Each request is
 * fitted to the published rules of the model's API: ids and names of calls, schemas, the order of messages, and files.
 * Text files go as text; pictures and PDFs where the API takes them; of others the model gets the name.
 *
 * A file that the provider refuses does not spoil later requests: they are sent again without it.
 * @param options.accepts Media types of the files that the model takes besides texts, such as `image/*` and
 *   `application/pdf`. Default: those that its API documents.
 */
export function fromLanguageModel(
  model: LanguageModel,
  { accepts }: { readonly accepts?: readonly string[] } = {},
): InferenceClient {
  const target = withAccepted(targetOf(model), accepts);
  return {
    defaultModel: model.modelId,
    accepts: async () => ['text/*', ...target.accepts],
    stream(request, call) {
      const names = toolNames(request.tools, target);
      const ask = async (left: ReadonlySet<FilePart>): Promise<ReadableStream<ModelStreamPart>> => {
        const options = callOptions(request, { model, target, names, left });
        const { stream } = await model.doStream({ ...options, abortSignal: call.signal });
        return stream as ReadableStream<ModelStreamPart>;
      };
      const open = async (): Promise<ReadableStream<ModelStreamPart>> => {
        try {
          return await ask(new Set());
        } catch (error) {
          const left = call.signal.aborted ? null : filesToLeave(error, request.messages);
          // The first error names the cause when it was another one than the files.
          const again = left === null ? null : await ask(left).catch(() => null);
          if (again === null) throw error;
          return again;
        }
      };
      const events = async (): Promise<ReadableStream<ModelStreamPart>> => ownNames(await open(), names);
      return { [Symbol.asyncIterator]: () => modelEvents(events, request, call) };
    },
  };
}

type Fitting = {
  readonly model: LanguageModel;
  readonly target: Target;
  readonly names: TargetNames;
  readonly left: ReadonlySet<FilePart>;
};

function callOptions(request: InferenceRequest, { model, target, names, left }: Fitting): object {
  const { settings, tools, toolChoice, responseFormat } = request;
  const allowed = settingNames.filter((name) => settings[name] !== undefined && settings[name] !== null);
  const isOld = model.specificationVersion === 'v3';
  const messages = fitMessages(request.messages, {
    // Results of the older interface have another form for files.
    target: isOld ? { ...target, inResults: [] } : target,
    toolName: names.toTarget,
    left,
  });
  return {
    prompt: toModelPrompt(messages, isOld),
    ...Object.fromEntries(allowed.map((name) => [name, settings[name]])),
    ...reasoningOf(settings['reasoning']),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => fitTool(tool, names)),
          toolChoice:
            typeof toolChoice === 'string'
              ? { type: toolChoice }
              : { type: 'tool', toolName: names.toTarget(toolChoice.toolName) },
        }),
    ...(responseFormat === null ? {} : { responseFormat: wellFormedJson(responseFormat as JsonValue) }),
  };
}

/** The stream with the own names of the tools that have other ones for the target. */
function ownNames(
  stream: ReadableStream<ModelStreamPart>,
  { toOwn, fields }: TargetNames,
): ReadableStream<ModelStreamPart> {
  return stream.pipeThrough(
    new TransformStream<ModelStreamPart, ModelStreamPart>({
      transform(part, controller) {
        if (!('toolName' in part)) return controller.enqueue(part);
        const toolName = toOwn(part.toolName);
        controller.enqueue(
          part.type === 'tool-call'
            ? { ...part, toolName, input: ownArguments(part.input, fields(toolName)) }
            : { ...part, toolName },
        );
      },
    }),
  );
}

/**
 * Converts the reasoning level, which every provider package maps to its own options (`LanguageModelV4`; older
 * versions ignore it).
 */
function reasoningOf(level: JsonValue | undefined): { reasoning?: string } {
  if (level === 'off') return { reasoning: 'none' };
  return level === 'low' || level === 'medium' || level === 'high' ? { reasoning: level } : {};
}
