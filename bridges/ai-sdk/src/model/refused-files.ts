import type { FilePart, Message } from '@vitrine/core/internal/graph/message';

/**
 * The files without which a refused request is made again; null when the refusal is about something else, or only
 * about files of the message that waits for its answer, whose person has to know.
 *
 * Files of tools and of answers are left out, and files of messages that were never answered: a failed turn is left
 * in the history, and its files would fail every later one. When none of these is there, all files before the last
 * message are left out, because another model may have taken them.
 */
export function filesToLeave(error: unknown, messages: readonly Message[]): ReadonlySet<FilePart> | null {
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
