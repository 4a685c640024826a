'use client';

import {
  type AppendMessage,
  type AssistantRuntime,
  type ExternalStoreAdapter,
  type ThreadMessage,
  useExternalStoreRuntime,
} from '@assistant-ui/react';
import {
  type AgentSession,
  Conversation,
  type FilePart,
  type JsonValue,
  type OutgoingMessage,
} from '@vitrine/core';
import { importUiMessages } from '@vitrine/ai-sdk';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { offerPage } from './page-context.ts';
import { isErrorMessage, threadRepository } from './thread-repository.ts';

type Commands = Pick<
  ExternalStoreAdapter,
  | 'onNew'
  | 'onEdit'
  | 'onReload'
  | 'onCancel'
  | 'onResume'
  | 'onAddToolResult'
  | 'onRespondToToolApproval'
  | 'setMessages'
>;

/** The parts of an adapter of assistant-ui that an application gives: attachments, its list of threads, suggestions. */
type OwnAdapter = Pick<ExternalStoreAdapter, 'adapters' | 'suggestions' | 'isSendDisabled'>;

/**
 * Runs the components of assistant-ui over a session: messages with their branches, sending, editing, another answer,
 * stop, tools that the interface answers, and approvals. An interrupted run can be resumed. Tools and instructions of
 * the page (`useAssistantTool`, `useAssistantInstructions`) go with what is sent. `adapter` adds attachments and a thread
 * list; for several threads `source` is a function that gives the same session for the same thread each time.
 * @throws Error when the thread list shows another thread than that of a session alone
 * @example
 * <AssistantRuntimeProvider runtime={useVitrineRuntime(session)}><Thread /></AssistantRuntimeProvider>
 */
export function useVitrineRuntime(
  source: AgentSession | ((threadId: string) => AgentSession),
  adapter: OwnAdapter = {},
): AssistantRuntime {
  const session = sessionOf(source, adapter.adapters?.threadList?.threadId);
  const { subscribe, getState, getInitialState } = session.store;
  const snapshot = useSyncExternalStore(subscribe, getState, getInitialState);
  const { status } = snapshot;
  const messageRepository = useMemo(() => threadRepository(snapshot), [snapshot]);
  const commands = useMemo(() => commandsOf(session), [session]);
  const runtime = useExternalStoreRuntime<ThreadMessage>({
    ...adapter,
    ...commands,
    messageRepository,
    isRunning: status === 'submitted' || status === 'streaming',
    isLoading: status === 'loading',
    isDisabled: status === 'deleted',
    canResume: status === 'interrupted',
  });
  useEffect(() => {
    runtimes.set(session, runtime);
  }, [session, runtime]);
  return runtime;
}

/** The runtime that shows a session, whose page offers tools and instructions. */
const runtimes = new WeakMap<AgentSession, AssistantRuntime>();

/** The thread of each session that was given alone: the first one that was shown. */
const threads = new WeakMap<AgentSession, string>();

function sessionOf(
  source: AgentSession | ((threadId: string) => AgentSession),
  threadId: string | undefined,
): AgentSession {
  if (typeof source === 'function') return source(threadId ?? 'main');
  if (threadId === undefined || threadId === source.id()) return source;
  const first = threads.get(source) ?? threadId;
  threads.set(source, first);
  if (threadId === first) return source;
  throw new Error(
    `useVitrineRuntime: the session is the thread ${JSON.stringify(first)}, and the list shows ${JSON.stringify(threadId)}. Give (threadId) => session, with a session for each thread.`,
  );
}

// The session tells what becomes of a command, so that no handler waits for the end of its turn.
function commandsOf(session: AgentSession): Commands {
  const offer = (): void => offerPage(session, runtimes.get(session)?.thread.getModelContext() ?? {});
  return {
    async onNew(message) {
      offer();
      void session.sendMessage(toOutgoing(message));
    },
    async onEdit(message) {
      offer();
      void session.edit(message.sourceId ?? messageBehind(session, message.parentId), toOutgoing(message));
    },
    async onReload(parentId) {
      offer();
      void session.regenerate(parentId ?? undefined);
    },
    onCancel: () => session.stop(),
    async onResume() {
      offer();
      void session.resume();
    },
    onAddToolResult({ toolCallId, result }) {
      void session.respond(toolCallId, result as JsonValue);
    },
    onRespondToToolApproval({ approvalId, approved, reason }) {
      if (approved) void session.approve(approvalId);
      else void session.reject(approvalId, reason === undefined ? {} : { reason });
    },
    setMessages(messages) {
      const shown = new Set(Conversation.messageIds(session.store.getState().state));
      const other = messages.findLast(({ id }) => !shown.has(id) && !isErrorMessage(id));
      if (other !== undefined) void session.switchBranch(other.id);
    },
  };
}

/** The user's message behind another one: the message of an edit that names only the one before it. */
function messageBehind(session: AgentSession, parentId: string | null): string {
  const messages = Conversation.messages(session.store.getState().state);
  const at = messages.findIndex(({ id }) => id === parentId);
  return messages.slice(at + 1).find(({ role }) => role === 'user')?.id ?? '';
}

function toOutgoing({ content, attachments }: AppendMessage): OutgoingMessage {
  const parts = [...content, ...(attachments ?? []).flatMap((attachment) => attachment.content ?? [])];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const [message] = importUiMessages([{ id: 'outgoing', role: 'user', parts: parts.flatMap(toUiFile) }]);
  return {
    text: texts.join('\n'),
    files: message?.parts.filter((part): part is FilePart => part.type === 'file') ?? [],
  };
}

type UiFile = {
  readonly type: 'file';
  readonly mediaType?: string;
  readonly url: string;
  readonly filename: string | undefined;
};

/** A file as the AI SDK has it: with an address, or a data URL for its bytes. */
function toUiFile(part: AppendMessage['content'][number]): readonly UiFile[] {
  if (part.type === 'image') {
    // A data URL names its own type.
    const type = part.image.startsWith('data:') ? {} : { mediaType: 'image/*' };
    return [{ type: 'file', ...type, url: part.image, filename: part.filename }];
  }
  if (part.type !== 'file') return [];
  const { data, mimeType: mediaType, filename } = part;
  const isAddress = /^[a-z][a-z0-9+.-]{0,30}:/i.test(data);
  return [{ type: 'file', mediaType, url: isAddress ? data : `data:${mediaType};base64,${data}`, filename }];
}
