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
import { useMemo, useSyncExternalStore } from 'react';
import { threadRepository } from './thread-repository.ts';

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

/**
 * Runs the components of assistant-ui over a session: messages with their branches, sending, editing, another answer,
 * stop, tools that the interface answers, and approvals. An interrupted run can be resumed.
 * @example
 * <AssistantRuntimeProvider runtime={useVitrineRuntime(session)}><Thread /></AssistantRuntimeProvider>
 */
export function useVitrineRuntime(session: AgentSession): AssistantRuntime {
  const { subscribe, getState, getInitialState } = session.store;
  const snapshot = useSyncExternalStore(subscribe, getState, getInitialState);
  const { status } = snapshot;
  const messageRepository = useMemo(() => threadRepository(snapshot), [snapshot]);
  const commands = useMemo(() => commandsOf(session), [session]);
  return useExternalStoreRuntime<ThreadMessage>({
    ...commands,
    messageRepository,
    isRunning: status === 'submitted' || status === 'streaming',
    isLoading: status === 'loading',
    isDisabled: status === 'deleted',
    canResume: status === 'interrupted',
  });
}

// The session tells what becomes of a command, so that no handler waits for the end of its turn.
function commandsOf(session: AgentSession): Commands {
  return {
    async onNew(message) {
      void session.sendMessage(outgoing(message));
    },
    async onEdit(message) {
      void session.edit(message.sourceId ?? messageBehind(session, message.parentId), outgoing(message));
    },
    async onReload(parentId) {
      void session.regenerate(parentId ?? undefined);
    },
    onCancel: () => session.stop(),
    async onResume() {
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
      const other = messages.findLast(({ id }) => !shown.has(id));
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

function outgoing({ content, attachments }: AppendMessage): OutgoingMessage {
  const parts = [...content, ...(attachments ?? []).flatMap((attachment) => attachment.content ?? [])];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const files = parts.flatMap((part): FilePart[] => {
    if (part.type === 'image') return [fileOf(part.image, 'image/*', part.filename)];
    return part.type === 'file' ? [fileOf(part.data, part.mimeType, part.filename)] : [];
  });
  return { text: texts.join('\n'), files };
}

/** A file by its address, its data URL, or its bytes as base64. */
function fileOf(content: string, mediaType: string, filename: string | undefined): FilePart {
  const file = { type: 'file', filename: filename ?? null } as const;
  const comma = content.startsWith('data:') ? content.indexOf(',') : -1;
  if (comma >= 0) {
    const [type] = content.slice('data:'.length, comma).split(';');
    return { ...file, mediaType: type || mediaType, data: content.slice(comma + 1) };
  }
  const isAddress = /^[a-z][a-z0-9+.-]{0,30}:/i.test(content);
  return isAddress ? { ...file, mediaType, url: content } : { ...file, mediaType, data: content };
}
