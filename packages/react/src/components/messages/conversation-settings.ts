'use client';

import type { ChatToolCall } from '@vitrine/core';
import { type ComponentType, type Context, createContext } from 'react';
import type { ToolViewProps } from './tool-view.ts';
import { PlainText } from './plain-text.tsx';

/** The settings with which a conversation renders its messages. */
export type ConversationSettings = {
  /** Renders the text of an answer. */
  readonly Text: ComponentType<{ readonly text: string }>;
  /**
   * Custom interfaces by tool name. An object without a prototype, so that a tool named `toString` finds
   * nothing.
   */
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
