import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { JsonObject, JsonValue } from '@vitrine/core';
import { readJson } from '@vitrine/core/internal/kit/json';
import { isObject } from '../kit/is-object.ts';
import { errorIn, type FrameReader, unreadable } from './answer-frames.ts';
import type { Provider } from './provider.ts';

/** Google's Gemini API, by generateContent. */
export const google: Provider = {
  id: 'google',
  variables: { apiKey: 'GOOGLE_GENERATIVE_AI_API_KEY', baseURL: 'GOOGLE_GENERATIVE_AI_BASE_URL' },
  requires: 'apiKey',
  defaults: ['gemini-4-hydrogen', 'gemini-4-argon'],
  thinkers: /^gemini-(2\.5|[3-9])/,
  list: {
    baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    query: '?pageSize=1000',
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  },
  frames: () => googleFrames,
  connect: (settings) => createGoogleGenerativeAI(settings),
};

/** Reads Gemini's answers: one by one, or as the list that it sends without `alt=sse`. */
export function googleFrames(): FrameReader {
  return {
    replaceLost: () => [unreadable],
    end: () => [],
    read({ event, value }) {
      if (Object.keys(value).length === 0) return [];
      const error = errorIn(value);
      if (error !== null) {
        const { message = '', code, type = '' } = error;
        const status = typeof code === 'number' ? { code } : {};
        return [{ event, value: { error: { ...status, message, status: type } } }];
      }
      const { candidates } = value;
      if (!Array.isArray(candidates)) return [{ event, value }];
      return [{ event, value: { ...value, candidates: candidates.map(candidateOf) } }];
    },
  };
}

/** An answer with the parts that are known; a part of another kind takes no other with it. */
function candidateOf(candidate: JsonValue): JsonValue {
  if (!isObject(candidate)) return candidate;
  const { content, finishReason, ...rest } = candidate;
  const parts = isObject(content) ? content['parts'] : null;
  return {
    ...rest,
    ...(typeof finishReason === 'string' && finishReason !== '' ? { finishReason } : {}),
    content: { role: 'model', parts: Array.isArray(parts) ? parts.filter(isObject).map(partOf) : [] },
  };
}

function partOf(part: JsonObject): JsonObject {
  const { functionCall: call, text } = part;
  if (isObject(call)) return { ...part, functionCall: { ...call, args: argumentsOf(call['args']) } };
  return typeof text === 'number' ? { ...part, text: String(text) } : part;
}

/** Arguments as an object; some gateways give its text. */
function argumentsOf(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'string') return value ?? {};
  const read = readJson(value);
  return read.ok ? read.value : value;
}
