'use client';

import type { ChatPart, ChatToolCall } from '@vitrine/core';
import { type ComponentType, type Context, createContext, type ReactNode, useMemo } from 'react';
import { VisibleText } from '../kit/visible-text.tsx';
import type { ToolViewProps } from './tool-view.ts';

/** The settings with which a conversation renders its messages. */
export type ConversationSettings = {
  /** Renders the text of an answer. `isStreaming` is true while more of it comes. */
  readonly Text: ComponentType<{ readonly text: string; readonly isStreaming?: boolean }>;
  /** Custom interfaces by tool name. An object without a prototype, so that a tool named `toString` finds nothing. */
  readonly views: Readonly<Record<string, ComponentType<ToolViewProps<ChatToolCall, unknown>>>>;
  /** Opens a forked session; null if forking is not offered. */
  readonly onFork: ((sessionId: string) => void) | null;
  readonly feedback: boolean;
  /** True leaves out what changes the conversation. */
  readonly readOnly: boolean;
  /** The voice of answers, `true` for that of the browser, and what takes the marks of Markdown out. */
  readonly readAloud: null | {
    readonly voice: true | ((text: string, onEnd: () => void) => () => void);
    readonly loadSpoken: () => Promise<{ readonly spokenText: (markdown: string) => string }>;
  };
};

const views = Object.create(null) as ConversationSettings['views'];
const off = { onFork: null, feedback: false, readOnly: false, readAloud: null };
const bare: ConversationSettings = { Text: PlainText, views, ...off };
export const ConversationSettingsContext: Context<ConversationSettings> = createContext(bare);
ConversationSettingsContext.displayName = 'ConversationSettings';

export type Sources = readonly Extract<ChatPart, { readonly type: 'source' }>[];

/** The sources of the nearest answer. In its text, `[1]` is the first. */
export const SourcesContext: Context<Sources> = createContext<Sources>([]);
SourcesContext.displayName = 'Sources';

/** The sources of an answer. The list stays while the answer grows, so that its blocks are not parsed again. */
export function useSources(parts: readonly ChatPart[]): Sources {
  const found = parts.filter((part) => part.type === 'source');
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => found, [found.map(({ url, title }) => `${url} ${title}`).join('\n')]);
}

/** A text without formatting; the default renderer. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="vitrine-plain" dir="auto">
      <VisibleText text={text} />
    </p>
  );
}
