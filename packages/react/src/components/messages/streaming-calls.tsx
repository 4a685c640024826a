'use client';

import {
  type AgentEvent,
  type AgentSession,
  type AgentState,
  type ChatToolCall,
  Conversation,
} from '@vitrine/core';
import { createPartialJsonReader, type PartialJsonReader } from '@vitrine/core/internal/kit/partial-json';
import { withCalls } from '@vitrine/core/internal/session/conversation/conversation-calls';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { useTexts } from '../texts-provider.tsx';
import { ConversationSettingsContext } from './conversation-settings.tsx';
import { ToolCallView } from './tool-call-view.tsx';

type Call = {
  readonly toolName: string;
  text: string;
  readonly reader: PartialJsonReader;
  isWhole: boolean;
};
type Message = Parameters<typeof withCalls>[0];

/**
 * The calls whose arguments still come, by the custom interfaces of their tools: each with the input so far, until a
 * message shows it.
 */
export function StreamingCalls(): ReactNode {
  const session = useAgentSession();
  const { views } = useContext(ConversationSettingsContext);
  const shown = useAgentState(shownCalls);
  const { ofModel } = useTexts().messages;
  const [open, setOpen] = useState<readonly ChatToolCall[]>([]);
  useEffect(() => followCalls(session, setOpen), [session]);
  const calls = open.filter(({ toolName, toolCallId }) => toolName in views && !shown.includes(toolCallId));
  return (
    calls.length > 0 && (
      <article className="vitrine-message vitrine-answer" aria-label={ofModel}>
        {calls.map((call) => (
          <ToolCallView key={call.toolCallId} call={call} />
        ))}
      </article>
    )
  );
}

/** The ids of the calls that the last messages have; a quick run adds several in a frame. */
function shownCalls(state: AgentState): readonly string[] {
  const last = [...Conversation.settledMessages(state).slice(-8), Conversation.streamingMessage(state)];
  const parts = last.flatMap((message) => message?.parts ?? []);
  return parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
}

/** Tells the calls that the session's agent writes, at most once a frame. Returns the function that ends it. */
function followCalls(session: AgentSession, tell: (calls: readonly ChatToolCall[]) => void): () => void {
  const open = new Map<string, Call>();
  let frame: number | null = null;
  const publish = (): void => {
    frame = null;
    const parts = Array.from(open, ([toolCallId, { toolName, text, reader }]) => {
      reader.read(text);
      return { type: 'tool-call', toolCallId, toolName, input: reader.value() ?? null, providerCallId: null };
    });
    const message = { role: 'assistant', parts } as unknown as Message;
    tell(withCalls(message, () => null).parts as readonly ChatToolCall[]);
  };
  const leave = session.onEvent((event) => {
    if (event.path.length > 0) return;
    const call = 'toolCallId' in event ? open.get(event.toolCallId) : undefined;
    if (event.type === 'tool-call-start')
      open.set(event.toolCallId, {
        toolName: event.toolName,
        text: '',
        reader: createPartialJsonReader(),
        isWhole: false,
      });
    else if (event.type === 'tool-call-delta' && call) call.text += event.delta;
    else if (event.type === 'tool-call' && call) call.isWhole = true;
    else if (event.type === 'inference-end') dropCut(open);
    else if (endings.has(event.type)) open.clear();
    else return;
    frame ??= requestAnimationFrame(publish);
  });
  return () => {
    leave();
    if (frame !== null) cancelAnimationFrame(frame);
  };
}

/** Drops the calls that an answer ended in, which no message will show. */
function dropCut(open: Map<string, Call>): void {
  for (const [id, { isWhole }] of open) if (!isWhole) open.delete(id);
}

/** The events that end all calls of an answer. Its own end does not: the message is shown a moment later. */
const endings = new Set<AgentEvent['type']>(['inference-start', 'inference-retry', 'execution-end']);
