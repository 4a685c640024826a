import type { FilePart, Message } from '@vitrine/core/internal/graph/message';
import { type JsonValue, present } from '@vitrine/core/internal/kit/json';
import { wellFormedJson } from '@vitrine/core/internal/kit/to-json';
import { cacheOf } from '@vitrine/core/internal/model/cache-borders';
import type { InferenceClient, InferenceRequest } from '@vitrine/core/internal/model/inference-client';
import { fitMessages, withMaker } from './fit-messages.ts';
import { fitTool, ownArguments, type TargetNames, toolNames } from './fit-tools.ts';
import type { LanguageModel, ModelStreamPart } from './language-model.ts';
import { modelEvents } from './model-events.ts';
import { toModelPrompt } from './model-prompt.ts';
import { createCacheMarks, type MarkedRequest, refusesCache } from './prompt-cache.ts';
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
 *
 * What later requests repeat is marked for the provider's prompt cache. One that refuses the marks gets none any more.
 * @param options.cache `off` marks nothing; `{ ttl: '1h' }` keeps for an hour, where the provider offers that. Default:
 *   `auto`, five minutes.
 * @param options.accepts Media types of the files that the model takes besides texts, such as `image/*` and
 *   `application/pdf`. Default: those that its API documents.
 */
export function fromLanguageModel(
  model: LanguageModel,
  {
    accepts,
    cache = 'auto',
  }: {
    readonly accepts?: readonly string[];
    readonly cache?: 'auto' | 'off' | { readonly ttl: '5m' | '1h' };
  } = {},
): InferenceClient {
  const target = withAccepted(targetOf(model), accepts);
  const markCache = createCacheMarks(model);
  let use = cache;
  return {
    defaultModel: model.modelId,
    accepts: async () => ['text/*', ...target.accepts],
    stream(given, call) {
      const request = { ...given, cache: given.cache ?? cacheOf(given, call.agentId) };
      const names = toolNames(request.tools, target);
      const ask = async (left: ReadonlySet<FilePart>): Promise<ReadableStream<ModelStreamPart>> => {
        const marked = markCache(request, use);
        const options = callOptions(request, { model, target, names, left, marked });
        const { stream } = await model.doStream({ ...options, abortSignal: call.signal });
        return stream as ReadableStream<ModelStreamPart>;
      };
      const open = async (): Promise<ReadableStream<ModelStreamPart>> => {
        try {
          return await ask(new Set());
        } catch (error) {
          if (call.signal.aborted) throw error;
          if (use !== 'off' && refusesCache(error)) {
            use = 'off';
            call.onError?.(error);
            return ask(new Set());
          }
          const left = filesToLeave(error, request.messages);
          // The first error names the cause when it was another one than the files.
          const again = left === null ? null : await ask(left).catch(() => null);
          if (again === null) throw error;
          return again;
        }
      };
      const events = async (): Promise<ReadableStream<ModelStreamPart>> =>
        ownNames(await open(), names, model.modelId);
      return { [Symbol.asyncIterator]: () => modelEvents(events, request, call) };
    },
  };
}

type Fitting = {
  readonly model: LanguageModel;
  readonly target: Target;
  readonly names: TargetNames;
  readonly left: ReadonlySet<FilePart>;
  readonly marked: MarkedRequest;
};

function callOptions(request: InferenceRequest, { model, target, names, left, marked }: Fitting): object {
  const { settings, tools, toolChoice, responseFormat } = request;
  const allowed = settingNames.filter((name) => settings[name] !== undefined && settings[name] !== null);
  const isOld = model.specificationVersion === 'v3';
  const messages = fitMessages(marked.messages, {
    // Results of the older interface have another form for files.
    target: isOld ? { ...target, inResults: [] } : target,
    toolName: names.toTarget,
    left,
    model: model.modelId,
    keepsBlocks: marked.keepsBlocks,
  });
  return {
    prompt: toModelPrompt(messages, isOld),
    ...present({ providerOptions: marked.call, headers: marked.headers }),
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

/** The stream with the own names of the tools that have other ones for the target, and thoughts with their maker. */
function ownNames(
  stream: ReadableStream<ModelStreamPart>,
  { toOwn, fields }: TargetNames,
  model: string,
): ReadableStream<ModelStreamPart> {
  return stream.pipeThrough(
    new TransformStream<ModelStreamPart, ModelStreamPart>({
      transform(part, controller) {
        if (!('toolName' in part)) return controller.enqueue(withMaker(part, model));
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

/** The reasoning level, which packages of `LanguageModelV4` map to their own options; older ones ignore it. */
function reasoningOf(level: JsonValue | undefined): { reasoning?: string } {
  if (level === 'off') return { reasoning: 'none' };
  return level === 'low' || level === 'medium' || level === 'high' ? { reasoning: level } : {};
}

/**
 * The files without which a refused request is made again; null when the refusal is about something else, or only
 * about files of the message that waits for its answer, whose person has to know.
 *
 * Files of tools and of answers are left out, and files of messages that were never answered: a failed turn is left
 * in the history, and its files would fail every later one. When none of these is there, all files before the last
 * message are left out, because another model may have taken them.
 */
function filesToLeave(error: unknown, messages: readonly Message[]): ReadonlySet<FilePart> | null {
  const { name, statusCode, responseBody } = (error ?? {}) as CallError;
  // The package refuses them before anything is sent, so that nothing is lost by their names.
  if (name === 'AI_UnsupportedFunctionalityError') return setOf(filesOf(messages));
  const isRefused =
    refusals.includes(statusCode) || (statusCode === 500 && aboutFiles.test(String(responseBody)));
  if (!isRefused) return null;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const before = messages.slice(0, Math.max(0, last));
  const ofOthers = filesOf(messages.filter(({ role }) => role !== 'user'));
  const unanswered = before.filter(({ role }, at) => role === 'user' && isUnanswered(messages, at));
  const first = [...ofOthers, ...filesOf(unanswered)];
  return setOf(first.length > 0 ? first : filesOf(before));
}

type CallError = { readonly [Key in 'name' | 'statusCode' | 'responseBody']?: unknown };

/** Statuses of a request whose content is refused, which nobody bills. */
const refusals: readonly unknown[] = [400, 413, 415, 422];
/** Words of a server that fails at a file, such as llama.cpp and Ollama with a model that reads no pictures. */
const aboutFiles = /image|vision|multimodal|mmproj/i;

function setOf(files: readonly FilePart[]): ReadonlySet<FilePart> | null {
  return files.length === 0 ? null : new Set(files);
}

function filesOf(messages: readonly Message[]): readonly FilePart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'file'));
}

function isUnanswered(messages: readonly Message[], at: number): boolean {
  return messages.slice(at + 1).find(({ role }) => role !== 'tool')?.role === 'user';
}
