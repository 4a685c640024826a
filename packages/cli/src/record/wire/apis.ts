import { createParser } from 'eventsource-parser';
import { foreign, type Foreign, listOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import { errorIn, noAnswer, type WireAnswer, type WireApi } from './api.ts';
import { chatCompletions } from './chat-completions.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

const apis: readonly WireApi[] = [chatCompletions, responses, messages, gemini];

/** The API of a request; null for one that is passed on without being read: lists of models, embeddings, counts. */
export function apiOf(method: string | undefined, path: string): WireApi | null {
  const [place = ''] = path.split('?');
  if (method !== 'POST') return null;
  return apis.find(({ paths }) => paths.some((end) => place.endsWith(end))) ?? null;
}

export function apiNamed(name: string): WireApi | null {
  return apis.find((api) => api.name === name) ?? null;
}

/** Reads an answer, as far as it is what its type says. `isJunk`: the rest of it is not. */
export function readAnswer(
  api: WireApi,
  {
    status,
    contentType,
    body,
  }: { readonly status: number; readonly contentType: string; readonly body: string },
): { readonly answer: WireAnswer; readonly isJunk: boolean } {
  const events: Foreign[] = [];
  let isJunk = false;
  const read = (text: string): void => {
    if (isJunk || text === '[DONE]') return;
    try {
      const value: unknown = JSON.parse(text);
      events.push(...(Array.isArray(value) ? listOf(value) : [foreign(value)]));
    } catch {
      isJunk = true;
    }
  };
  if (contentType.includes('text/event-stream'))
    createParser({ onEvent: ({ data }) => read(data) }).feed(`${body}\n\n`);
  else read(body);
  if (status < 400) return { answer: api.answer(events), isJunk };
  const error = `${status} ${(errorIn(events) ?? body).slice(0, 300)}`.trim();
  return { answer: { ...noAnswer, error }, isJunk: false };
}
