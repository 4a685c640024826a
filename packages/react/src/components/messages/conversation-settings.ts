'use client';

import type { ChatToolCall } from '@vitrine/core';
import { type ComponentType, type Context, createContext } from 'react';
import type { ToolViewProps } from './tool-view.ts';
import { PlainText } from './plain-text.tsx';

/** What the messages of a conversation are drawn with. */
export type ConversationSettings = {
  /** Draws the text of an answer. */
  readonly Text: ComponentType<{ readonly text: string }>;
  /** Interfaces of tools by their names; of no other names, not even those that every object has. */
  readonly views: Readonly<Record<string, ComponentType<ToolViewProps<ChatToolCall, unknown>>>>;
  /** Shows a session that was forked; null where that is not offered. */
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
