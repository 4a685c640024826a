'use client';

import type { ChatToolCall } from '@vitrine/core';
import { type ComponentType, type Context, createContext, type ReactNode } from 'react';
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
};

/** The settings of the nearest conversation. */
export const ConversationSettingsContext: Context<ConversationSettings> = createContext<ConversationSettings>(
  {
    Text: PlainText,
    views: Object.create(null) as ConversationSettings['views'],
    onFork: null,
  },
);
ConversationSettingsContext.displayName = 'ConversationSettings';

/** A text without formatting; the default renderer. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="vitrine-plain" dir="auto">
      <VisibleText text={text} />
    </p>
  );
}
