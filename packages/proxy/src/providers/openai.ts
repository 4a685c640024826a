import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from '@vitrine/ai-sdk';
import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';
import { errorIn, type Frame, frameOf, type FrameReader, unreadable } from './answer-frames.ts';
import type { Provider } from './provider.ts';

/** OpenAI, by its Responses API. */
export const openai: Provider = {
  id: 'openai',
  variables: { apiKey: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL' },
  requires: 'apiKey',
  defaults: ['gpt-6.1-terra', 'gpt-6.1-sol'],
  thinkers: /^(gpt-[5-9]|o\d)/,
  // Nothing is stored, so the ids of thoughts name nothing that pages could ask for.
  metadataFields: { openai: ['itemId', 'reasoningEncryptedContent', 'phase'] },
  list: {
    baseURL: 'https://api.openai.com/v1',
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  },
  frames: () => responseFrames,
  connect(settings) {
    const provider = createOpenAI(settings);
    /** Summaries of thoughts are for verified organizations; OpenAI refuses the requests of others. */
    let showsThoughts = true;

    return (name): LanguageModel => {
      const model = provider.responses(name);
      const ask = (call: CallOptions): ReturnType<typeof model.doStream> => {
        const reasoningSummary = showsThoughts && call.reasoning !== 'none' ? 'auto' : null;
        // Nothing is stored at OpenAI: pages send the whole conversation, with the encrypted thoughts.
        return model.doStream({
          ...call,
          providerOptions: {
            openai: { ...call.providerOptions?.['openai'], store: false, reasoningSummary },
          },
        });
      };
      return {
        provider: model.provider,
        modelId: model.modelId,
        async doStream(call: CallOptions) {
          try {
            return await ask(call);
          } catch (error) {
            if (!showsThoughts || !refusesSummary(error)) throw error;
            showsThoughts = false;
            return ask(call);
          }
        },
      };
    };
  },
};

type CallOptions = Parameters<ReturnType<ReturnType<typeof createOpenAI>['responses']>['doStream']>[0];

function refusesSummary(error: unknown): boolean {
  const { statusCode, responseBody } = error as { statusCode?: unknown; responseBody?: unknown };
  return statusCode === 400 && /"param":\s*"reasoning\.summary"/.test(String(responseBody));
}

const textDelta = 'response.output_text.delta';
const thoughtDelta = 'response.reasoning_text.delta';
const summaryDelta = 'response.reasoning_summary_text.delta';

/** Reads the events of OpenAI's responses. What comes only in a whole item or a whole response is told in events as well. */
function responseFrames(): FrameReader {
  /** The indexes of the items that have begun, and indexes and ids of the ones of which a delta has come. */
  const begun = new Set<JsonValue>();
  const said = new Set<JsonValue>();

  function readEvent(value: JsonObject): readonly Frame[] {
    const { type, response, output_index: index = null, item_id: id = null, item } = value;
    if (type === 'response.output_item.added') begun.add(index);
    if (String(type).endsWith('.delta')) said.add(index).add(id);
    if (type === 'response.output_item.done' && isObject(item))
      return [...missingFrames(item, index), frameOf(value)];
    // Local servers tell thoughts themselves, and no summary of them.
    if (type === thoughtDelta) return [frameOf({ ...value, type: summaryDelta, summary_index: 0 })];
    const isEnd = type === 'response.completed' || type === 'response.incomplete';
    if (!isEnd || !isObject(response) || begun.size > 0 || said.size > 0) return [frameOf(value)];
    return [...outputOf(response), frameOf(value)];
  }

  function missingFrames(item: JsonObject, index: JsonValue): readonly Frame[] {
    const { id = '', type } = item;
    const beginning = begun.has(index)
      ? []
      : [frameOf({ type: 'response.output_item.added', output_index: index, item })];
    begun.add(index);
    const delta = {
      type: type === 'reasoning' ? summaryDelta : textDelta,
      item_id: id,
      output_index: index,
      summary_index: 0,
    };
    const texts = said.has(index) || said.has(id) ? [] : textsOf(item);
    return [...beginning, ...texts.map((text) => frameOf({ ...delta, delta: text }))];
  }

  function outputOf({ output }: JsonObject): readonly Frame[] {
    return (Array.isArray(output) ? output : []).filter(isObject).flatMap((item, index) => {
      const whole = { id: `item-${index}`, status: 'completed', ...item };
      const done = { type: 'response.output_item.done', output_index: index, item: whole };
      return [...missingFrames(whole, index), frameOf(done)];
    });
  }

  return {
    replaceLost: () => [unreadable],
    end: () => [],
    read({ event, value: given }) {
      if (Object.keys(given).length === 0 || event === 'ping') return [];
      const type = typeof given['type'] === 'string' ? given['type'] : event;
      if (type === 'response.failed') return [{ event: 'error', value: failureOf(given['response']) }];
      if (type === '' && Array.isArray(given['output']))
        return given['status'] === 'failed'
          ? [{ event: 'error', value: failureOf(given) }]
          : eventsOf(given).flatMap(readEvent);
      const error = type === '' || type === 'error' ? errorIn(given) : null;
      if (error !== null) return [{ event: 'error', value: errorEvent(given, error) }];
      return type === '' ? [{ event, value: given }] : readEvent({ ...given, type });
    },
  };
}

/** A failed response as an error: its package ends the answer without one, or cannot read it. */
function failureOf(response: JsonValue | undefined): JsonObject {
  const failure = isObject(response) ? errorIn({ error: response['error'] ?? null }) : null;
  return errorEvent({}, failure ?? { message: 'The response failed, and the provider does not say why.' });
}

/** The texts of a message or a thought; none of any other item. */
function textsOf({ type, content, summary }: JsonObject): readonly string[] {
  if (type !== 'message' && type !== 'reasoning') return [];
  const parts = [content ?? [], type === 'reasoning' ? (summary ?? []) : []].flat();
  return parts.flatMap((part) => {
    const text = isObject(part) ? (part['text'] ?? part['refusal']) : part;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}

function eventsOf(response: JsonObject): readonly JsonObject[] {
  const { status, id = '', created_at: at = 0, model = '' } = response;
  const type = status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  return [
    {
      type: 'response.created',
      response: { id: String(id), created_at: Number(at) || 0, model: String(model) },
    },
    { type, response },
  ];
}

function errorEvent(
  given: JsonObject,
  { message = '', code = null, type: kind = 'server_error' }: JsonObject,
): JsonObject {
  if (typeof given['sequence_number'] === 'number' && !isObject(given['error'])) return given;
  const failure = { type: kind, code: code === null ? null : String(code), message };
  return { type: 'error', sequence_number: 0, error: failure };
}
