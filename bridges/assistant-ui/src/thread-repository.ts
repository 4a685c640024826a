import { ExportedMessageRepository, type ThreadMessage, type ThreadMessageLike } from '@assistant-ui/react';
import type { AgentState, SessionSnapshot } from '@vitrine/core';
import { toUiMessages, type UiMessage } from '@vitrine/ai-sdk';

type Entry = { readonly message: ThreadMessage; readonly parentId: string | null };
type Part = Exclude<ThreadMessageLike['content'], string>[number];
type MessageStatus = NonNullable<ThreadMessageLike['status']>;

/** Messages that do not change any more keep their converted form, so that only the last one is rendered again. */
const converted = new WeakMap<UiMessage, ThreadMessage>();

/** The messages of the branches that are not shown, which do not change while another one streams. */
const hidden = new WeakMap<AgentState, readonly UiMessage[]>();

function messagesOf(branch: AgentState): readonly UiMessage[] {
  const messages = hidden.get(branch) ?? toUiMessages(branch);
  hidden.set(branch, messages);
  return messages;
}

/** The messages of all branches of a session as assistant-ui keeps them; an answer is one message with all its steps. */
export function threadRepository(snapshot: SessionSnapshot): ExportedMessageRepository {
  const { state, tree } = snapshot;
  const entries = new Map<string, Entry>();
  let headId: string | null = null;
  for (const line of [...tree.branches.map((branch) => branch.state), state]) {
    headId = null;
    const messages = line === state ? toUiMessages(line) : messagesOf(line);
    for (const [index, message] of messages.entries()) {
      const id = ourIdOf(message);
      const status = line === state && index === messages.length - 1 ? statusOf(snapshot) : complete;
      entries.set(id, { message: toThreadMessage(message, status), parentId: headId });
      headId = id;
    }
  }
  const error = headId === null ? null : errorBehind(snapshot, entries.get(headId)?.message);
  if (error === null) return { headId, messages: [...entries.values()] };
  return { headId: error.id, messages: [...entries.values(), { message: error, parentId: headId }] };
}

const errorMark = ' error';

/** True for the message that only shows the error of a turn without an answer. */
export function isErrorMessage(id: string): boolean {
  return id.endsWith(errorMark);
}

/** An answer without words for a turn that failed before its first one, which no message could show else. */
function errorBehind(snapshot: SessionSnapshot, last: ThreadMessage | undefined): ThreadMessage | null {
  const status = statusOf(snapshot);
  if (last?.role !== 'user' || status.type !== 'incomplete' || status.reason !== 'error') return null;
  return threadMessageOf({ id: `${last.id}${errorMark}`, role: 'assistant', content: [], status });
}

function threadMessageOf(message: ThreadMessageLike): ThreadMessage {
  const [made] = ExportedMessageRepository.fromBranchableArray([{ message, parentId: null }]).messages;
  return (made as Entry).message;
}

/** The id of a message in the session, which may have another one in a chat of the AI SDK. */
function ourIdOf({ id, metadata }: UiMessage): string {
  return metadata.vitrine.messages[0]?.id ?? id;
}

const complete: MessageStatus = { type: 'complete', reason: 'stop' };

function statusOf({ status, state, error }: SessionSnapshot): MessageStatus {
  if (status === 'submitted' || status === 'streaming') return { type: 'running' };
  if (status === 'awaiting-input') return { type: 'requires-action', reason: 'tool-calls' };
  if (status === 'interrupted') return { type: 'incomplete', reason: 'other' };
  if (error !== null) return { type: 'incomplete', reason: 'error', error: error.message };
  return state.execution?.status === 'stopped' ? { type: 'incomplete', reason: 'cancelled' } : complete;
}

function toThreadMessage(message: UiMessage, status: MessageStatus): ThreadMessage {
  const known = status === complete ? converted.get(message) : undefined;
  if (known !== undefined) return known;
  const { role, metadata, parts } = message;
  const [envelope] = metadata.vitrine.messages;
  const like: ThreadMessageLike = {
    id: ourIdOf(message),
    role,
    ...(envelope === undefined ? {} : { createdAt: new Date(envelope.createdAt) }),
    content: parts.flatMap(toPart),
    ...(role === 'assistant' ? { status } : {}),
    metadata: { custom: metadata },
  };
  const thread = threadMessageOf(like);
  if (status === complete) converted.set(message, thread);
  return thread;
}

function toPart(part: UiMessage['parts'][number]): Part[] {
  if ('toolCallId' in part) return [toCall(part)];
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text }];
    case 'file':
      return [toFile(part)];
    case 'source-url':
      return [
        {
          type: 'source',
          sourceType: 'url',
          id: part.sourceId,
          url: part.url,
          ...(part.title === undefined ? {} : { title: part.title }),
        },
      ];
    case 'step-start':
    case 'source-document':
      return [];
    default:
      return [{ type: part.type, data: part.data }];
  }
}

function toFile({ mediaType, url, filename }: Extract<UiMessage['parts'][number], { type: 'file' }>): Part {
  const name = filename === undefined ? {} : { filename };
  // A picture that only the store has cannot be shown by its address.
  if (mediaType.startsWith('image/') && /^(https|blob|data):/.test(url))
    return { type: 'image', image: url, ...name };
  const data = url.startsWith('data:') ? url.slice(url.indexOf(',') + 1) : url;
  return { type: 'file', data, mimeType: mediaType, ...name };
}

type UiCall = Extract<UiMessage['parts'][number], { toolCallId: string }>;

function toCall(part: UiCall): Part {
  const input = part.input ?? {};
  return {
    type: 'tool-call',
    toolCallId: part.toolCallId,
    toolName: part.type.slice('tool-'.length),
    args: input as never,
    argsText: JSON.stringify(input),
    ...resultOf(part),
    ...approvalOf(part),
  };
}

function resultOf(part: UiCall): { result?: unknown; isError?: boolean } {
  if (part.state === 'output-available') return { result: part.output };
  if (part.state === 'output-error') return { result: part.errorText, isError: true };
  if (part.state === 'output-denied') return { result: part.approval.reason ?? 'Rejected', isError: true };
  return {};
}

function approvalOf(part: UiCall): {
  approval?: { id: string; approved?: boolean; reason?: string; prompt?: string };
} {
  if (!('approval' in part) || part.approval === undefined) return {};
  const { requestReason, ...approval } = part.approval;
  return { approval: { ...approval, ...(requestReason === undefined ? {} : { prompt: requestReason }) } };
}
