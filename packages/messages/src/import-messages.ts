import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import type { ImportedMessages, ImportMessagesOptions } from './read-conversation.ts';

/**
 * Reads a conversation of another library, provider or application: its messages as a list, a request or an answer with
 * them, the file of an export, or the text of one of these as JSON or JSON lines. It recognises messages of the AI SDK 4
 * to 7, of OpenAI (chat and Responses), Anthropic, LangChain, AG-UI and Gemini, the exports of ChatGPT and Claude, and
 * the plain shape of `exportMessages`. Times and ids are kept. The code that reads them loads with the first call.
 *
 * Give messages to `AgentState.create({ messages })`, and each session to `importSession(store, session)`.
 * @throws AgentError `message-invalid` for a value that is no conversation of a known shape, with the reason.
 * @example
 * const { sessions = [], left } = await importMessages(await file.text());
 * for (const session of sessions) await importSession(store, session);
 */
export async function importMessages(
  given: unknown,
  options: ImportMessagesOptions = {},
): Promise<ImportedMessages> {
  // Copied before the code loads: the caller may change the value meanwhile.
  const copy = typeof given === 'string' ? given : toJson(given, { maxDepth: 1_000, maxValues: Infinity });
  const { readConversation } = await import('./read-conversation.ts').catch(cannotBeLoaded);
  return readConversation(copy, options);
}

function cannotBeLoaded(cause: unknown): never {
  const message = `The code that reads conversations cannot be loaded: ${String(cause)}. Try again.`;
  throw new AgentError('session-storage', message, { data: { retryable: true }, cause });
}
