import type { MessageRole } from '@vitrine/core/internal/graph/message';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { textOf } from '@vitrine/core/internal/kit/text';
import { contentText } from '@vitrine/messages/internal/ag-ui/messages';
import type { RemoteEvent } from './remote/remote-run.ts';

type Fields = { readonly [field: string]: unknown };

const roles: { readonly [role: string]: MessageRole } = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
};

/** The role of a message of AG-UI; null for one that is no message of a conversation of ours. */
export function roleOf(role: unknown): MessageRole | null {
  return Object.hasOwn(roles, String(role)) ? (roles[String(role)] ?? null) : null;
}

/** A message that is no answer, as a server adds one to the conversation. */
export type OtherMessage = { readonly id: string; readonly role: MessageRole; readonly text: string };

/**
 * The events of a run with those of messages that only MESSAGES_SNAPSHOT tells, before what is told next or the end of
 * the run. A text that is no answer is one event: `OTHER_MESSAGE`, with an `OtherMessage`.
 */
export class SnapshotMessages {
  /** Ids of the messages and calls that both sides have, and of results by the ids of their calls. */
  readonly #known: Set<string>;
  /** The texts that were streamed, by their messages: a backend may give a message another id in a snapshot. */
  readonly #texts = new Map<string, string>();
  #pending: readonly Fields[] = [];
  /** The texts in flight that are no answers. */
  readonly #others = new Map<string, OtherMessage>();
  #current = '';

  /** @param sent Ids of the messages and calls that the backend was sent. */
  constructor(sent: Iterable<string>) {
    this.#known = new Set(sent);
  }

  /** Ids of the messages and calls that both sides have now. */
  get known(): Iterable<string> {
    return this.#known;
  }

  /** Notes a message that is streamed elsewhere. */
  know(id: string): void {
    this.#known.add(id);
  }

  take(event: RemoteEvent): readonly RemoteEvent[] {
    const { type, messages } = event;
    const other = this.#other(event);
    if (other !== null) return other;
    if (event['subagentRunId'] !== undefined) return [event];
    if (type === 'MESSAGES_SNAPSHOT') {
      const listed = Array.isArray(messages) ? messages.filter(isPlainObject) : [];
      // Those of subagents are told by their own events.
      const all = listed.filter(({ subagentRunId }) => subagentRunId === undefined);
      const asked = all.findLastIndex(({ role, id }) => role === 'user' || this.#known.has(textOf(id)));
      this.#pending = all.slice(asked + 1);
      return [event];
    }
    if (/^(RUN_FINISHED|RUN_ERROR)$/.test(type)) return [...this.#release(''), event];
    if (!/^(TEXT|REASONING|THINKING|TOOL_CALL)_/.test(type)) return [event];
    const before = this.#current;
    this.#current = this.#note(event);
    return this.#current === before ? [event] : [...this.#release(this.#current), event];
  }

  /** The events for one of a text that is no answer; null for any other. */
  #other({ type, messageId, role, delta }: RemoteEvent): readonly RemoteEvent[] | null {
    const id = textOf(messageId);
    const ours = type === 'TEXT_MESSAGE_START' ? roleOf(role) : null;
    if (ours !== null && ours !== 'assistant') this.#others.set(id, { id, role: ours, text: '' });
    const known = type.startsWith('TEXT_MESSAGE_') ? this.#others.get(id) : undefined;
    if (known === undefined) return null;
    if (type !== 'TEXT_MESSAGE_END') {
      this.#others.set(id, { ...known, text: known.text + textOf(delta) });
      return [];
    }
    this.#others.delete(id);
    return [{ type: 'OTHER_MESSAGE', message: known }];
  }

  /** Notes what a streamed event tells. @returns the id of its message, or the one before where it names none */
  #note({ type, messageId, parentMessageId, toolCallId, delta }: RemoteEvent): string {
    const callId = textOf(toolCallId);
    const id = textOf(messageId) || textOf(parentMessageId) || this.#current;
    if (callId !== '') this.#known.add(type === 'TOOL_CALL_RESULT' ? resultKey(callId) : callId);
    if (id !== '') this.#known.add(id);
    if (!type.startsWith('TOOL_CALL')) {
      const part = `${type.startsWith('TEXT')} ${id}`;
      this.#texts.set(part, (this.#texts.get(part) ?? '') + textOf(delta));
    }
    return id;
  }

  /** The events of the messages that nothing has told, up to the one that is told now. */
  #release(now: string): readonly RemoteEvent[] {
    const at = this.#pending.findIndex(({ id }) => id === now);
    const behind = at < 0 ? [] : this.#pending.slice(at + 1);
    const messages = at < 0 ? this.#pending : this.#pending.slice(0, at);
    this.#pending = behind;
    return messages.flatMap((message) => this.#events(message));
  }

  #events(message: Fields): readonly RemoteEvent[] {
    const { id, role, content, toolCallId, error } = message;
    const messageId = textOf(id);
    const text = contentText(content);
    if (role === 'tool') return this.#result(textOf(toolCallId), textOf(error), content);
    const isReasoning = role === 'reasoning';
    const isKnown = this.#known.has(messageId) || this.#wasStreamed(text);
    if (!isReasoning && role !== 'assistant') return [];
    this.#known.add(messageId);
    const type = isReasoning ? 'REASONING_MESSAGE_CONTENT' : 'TEXT_MESSAGE_CONTENT';
    const said = isKnown || text === '' ? [] : [{ type, messageId, delta: text }];
    return [...said, ...callsIn(message).flatMap((call) => this.#call(messageId, call))];
  }

  #wasStreamed(text: string): boolean {
    return text !== '' && [...this.#texts.values()].some((known) => known.trim() === text.trim());
  }

  #call(parentMessageId: string, { id, function: given }: Fields): readonly RemoteEvent[] {
    const toolCallId = textOf(id);
    if (toolCallId === '' || this.#known.has(toolCallId) || !isPlainObject(given)) return [];
    this.#known.add(toolCallId);
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: textOf(given['name']), parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: textOf(given['arguments']) },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  #result(toolCallId: string, error: string, content: unknown): readonly RemoteEvent[] {
    if (!this.#known.has(toolCallId) || this.#known.has(resultKey(toolCallId))) return [];
    this.#known.add(resultKey(toolCallId));
    const failed = { content: error, metadata: { vitrine: { outcome: 'failed' } } };
    return [{ type: 'TOOL_CALL_RESULT', toolCallId, ...(error === '' ? { content } : failed) }];
  }
}

/** Ids of the messages, the calls and the results of a conversation. */
export function idsIn(messages: unknown): readonly string[] {
  const all = Array.isArray(messages) ? messages.filter(isPlainObject) : [];
  return all.flatMap((message) => [
    textOf(message['id']),
    ...callsIn(message).map(({ id }) => textOf(id)),
    ...(message['role'] === 'tool' ? [resultKey(textOf(message['toolCallId']))] : []),
  ]);
}

function callsIn({ toolCalls }: Fields): readonly Fields[] {
  return Array.isArray(toolCalls) ? toolCalls.filter(isPlainObject) : [];
}

function resultKey(toolCallId: string): string {
  return `result of ${toolCallId}`;
}
