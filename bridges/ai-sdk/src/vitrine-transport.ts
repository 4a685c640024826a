import * as errors from '@vitrine/core/internal/kit/errors';
import type { FilePart } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { equalJson, isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { toJson, toJsonObject } from '@vitrine/core/internal/kit/to-json';
import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { AgentSession, Decision, OutgoingMessage } from '@vitrine/core/internal/session/agent-session';
import { settledMessages, streamingMessage } from '@vitrine/core/internal/session/conversation/conversation';
import { toQueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import { ofOneThread, type SessionSource, findSession } from '@vitrine/core/internal/session/session-source';
import { isGoing, turnEnd } from '@vitrine/core/internal/session/turn-end';
import type { AnswerPlace } from './answer-writer.ts';
import { file as filePart } from '@vitrine/messages/internal/reading/part';
import { uiIdOf } from '@vitrine/messages/internal/ai-sdk/to-ui-messages';
import { type AnyUiMessage, type UiChunk, uiIdKey } from '@vitrine/messages/internal/ai-sdk/ui-message';
import { answerStream, lastAsked } from './ui-message-stream.ts';

type Request = {
  readonly trigger: 'submit-message' | 'regenerate-message';
  readonly messages: readonly AnyUiMessage[];
  readonly messageId: string | undefined;
  readonly abortSignal: AbortSignal | undefined;
  readonly body?: object | undefined;
  /** The id of the chat. Default: that of the session. */
  readonly chatId?: string | undefined;
};

type Rejoin = Pick<Request, 'body' | 'chatId'> & { readonly abortSignal?: AbortSignal | undefined };

/** A `ChatTransport` of the AI SDK 6 and 7 over a session. */
export type VitrineTransport = {
  readonly resumeStreamIsReplay: true;
  readonly sendMessages: (request: Request) => Promise<ReadableStream<UiChunk>>;
  readonly reconnectToStream: (request: Rejoin) => Promise<ReadableStream<UiChunk> | null>;
};

/**
 * A transport for `useChat` and `Chat` of the AI SDK, which runs the session in their place. `stop` stops the run,
 * `addToolApprovalResponse` and `addToolOutput` answer calls, `messageId` of `sendMessage` edits a message on a new
 * branch, `regenerate` answers again on one, and `resumeStream` joins the run or continues an interrupted one. The
 * `model` of a request's `body` is the model of that turn. A session alone has one chat, the first one or the one with
 * its id: another chat gets an error. A function gives the session of each chat.
 * @example
 * const { messages, sendMessage, stop } = useChat({ id: 'main', transport: vitrineTransport(session) });
 */
export function vitrineTransport(source: SessionSource<Rejoin>): VitrineTransport {
  const streams = new WeakMap<AgentSession, number>();

  /** The session of a chat, at once when there is one only: the chat may abort the stream before in this moment. */
  function sessionOf(request: Rejoin): AgentSession | Promise<AgentSession> {
    const { chatId } = request;
    if (typeof source === 'function') return findSession(source, chatId ?? '', request);
    return chatId === undefined ? source : ofOneThread(source, chatId);
  }

  /** Stops the run when the chat does, and not when the chat replaces its stream by another one of the run. */
  function stopWith(session: AgentSession, signal: AbortSignal | undefined): void {
    const own = (streams.get(session) ?? 0) + 1;
    streams.set(session, own);
    const stop = (): void => queueMicrotask(() => void (own === streams.get(session) && session.stop()));
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  }

  return {
    resumeStreamIsReplay: true,
    async sendMessages(request) {
      const session = await sessionOf(request);
      await session.ready;
      stopWith(session, request.abortSignal);
      return begin(session, request);
    },
    async reconnectToStream(request) {
      const given = sessionOf(request);
      const session = given instanceof Promise ? await given : given;
      stopWith(session, request.abortSignal);
      await session.ready;
      const { status, state } = session.store.getState();
      const isInterrupted = status === 'interrupted';
      if (!isInterrupted && !isGoing(session.store.getState())) return null;
      return answerStream(session, lastAsked(state), isInterrupted ? session.resume() : turnEnd(session));
    },
  };
}

function begin(session: AgentSession, request: Request): ReadableStream<UiChunk> {
  const { trigger, messages, messageId } = request;
  const { state } = session.store.getState();
  const target = messages.findLast(({ id }) => id === messageId) ?? messages.at(-1);
  const options = modelOf(request);
  if (trigger === 'submit-message' && target?.role === 'assistant') return answer(session, messages);
  const asked = messages.findLast(({ role }) => role === 'user');
  if (asked === undefined)
    throw errors.messageInvalid('vitrineTransport: the chat has no message of the user to answer.', {});
  const known = section(state.context.store).findLast(
    (message) => message.role === 'user' && uiIdOf(message) === asked.id,
  );
  const message = toOutgoing(asked);
  const isSame = known !== undefined && equalJson(contentOf(message), contentOf(toQueuedMessage(known)));
  const place = placeOf(state, asked.id);
  if (known !== undefined && (trigger === 'regenerate-message' || isSame))
    return answerStream(session, place, session.regenerate(known.id, options));
  if (known !== undefined) return answerStream(session, place, session.edit(known.id, message, options));
  return answerStream(session, place, session.sendMessage(message, options));
}

/** Gives the answers to waiting calls that the chat has, or joins the run that somebody else let go on. */
function answer(session: AgentSession, messages: readonly AnyUiMessage[]): ReadableStream<UiChunk> {
  const snapshot = session.store.getState();
  const decisions = decisionsIn(messages, snapshot.state);
  const isOpen = Object.keys(decisions).length === 0;
  if (isOpen && !isGoing(snapshot))
    throw errors.messageInvalid(
      'vitrineTransport: no call of this session waits for the answers that the chat has given.',
      {},
    );
  const end = isOpen ? turnEnd(session) : session.respondAll(decisions);
  return answerStream(session, lastAsked(snapshot.state), end, { isContinued: true });
}

function decisionsIn(messages: readonly AnyUiMessage[], state: AgentState): Record<string, Decision> {
  const waiting = new Set(pendingApprovals(state).map(({ id }) => id));
  const parts = messages.flatMap(
    (message) => message.parts as readonly { readonly [key: string]: unknown }[],
  );
  return Object.fromEntries(
    parts.flatMap((part): [string, Decision][] => {
      const id = String(part['toolCallId']);
      const decision = waiting.has(id) ? decisionOf(part) : null;
      return decision === null ? [] : [[id, decision]];
    }),
  );
}

function decisionOf(part: { readonly [key: string]: unknown }): Decision | null {
  const { state, output, errorText, approval } = part;
  if (state === 'output-available') return { output: toJson(output) };
  if (state === 'output-error') return { output: { error: String(errorText) } };
  if (state !== 'approval-responded' || !isPlainObject(approval)) return null;
  const { approved, reason } = approval as { readonly [key: string]: unknown };
  if (approved === true) return { approved: true };
  return { approved: false, ...(typeof reason === 'string' ? { reason } : {}) };
}

/** The answer to a message of the chat, without the messages of an answer that is replaced. */
function placeOf(state: AgentState, uiId: string): AnswerPlace {
  const live = streamingMessage(state);
  const there = live === null ? settledMessages(state) : [...settledMessages(state), live];
  return { isQuestion: (message) => uiIdOf(message) === uiId, without: new Set(there.map(({ id }) => id)) };
}

function modelOf({ body }: Request): { readonly model?: string } {
  const { model } = (body ?? {}) as { readonly model?: unknown };
  return typeof model === 'string' ? { model } : {};
}

/** A message of the user as the session sends it. */
function toOutgoing({ id, parts, metadata }: AnyUiMessage): OutgoingMessage {
  const all = parts as readonly { readonly type: string; readonly [key: string]: unknown }[];
  const { vitrine: _ours, ...own } = isPlainObject(metadata) ? (metadata as JsonObject) : {};
  const data = all.filter(({ type }) => type.startsWith('data-'));
  return {
    text: all.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n'),
    files: all.filter(({ type }) => type === 'file').map(fileOf),
    data: toJsonObject(
      Object.fromEntries(data.map((part) => [part.type.slice('data-'.length), part['data']])),
    ),
    metadata: { ...toJsonObject(own), [uiIdKey]: id },
  };
}

function fileOf(part: { readonly [key: string]: unknown }): FilePart {
  const file = filePart(part);
  if (file !== null) return file;
  const message =
    'A file of the message has neither bytes nor an address. Give its data URL or its address as `url`.';
  throw errors.messageInvalid(message, { filename: toJson(part['filename'] ?? null) });
}

function contentOf({ text, files, data }: OutgoingMessage): JsonValue {
  return toJson({ text, files: files ?? [], data: data ?? {} });
}
