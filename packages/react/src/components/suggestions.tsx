'use client';

import { type AgentState, Conversation } from '@vitrine/core';
import type { ReactNode } from 'react';
import { useAgentStatus } from '../field-hooks.ts';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import { Button } from './kit/icon-button.tsx';
import { notifySent } from './kit/use-chat-status.ts';
import { Refusal, useCommand } from './kit/use-command.tsx';
import { VisibleText } from './kit/visible-text.tsx';
import { useTexts } from './texts-provider.tsx';

const most = { suggestions: 8, characters: 200 };

/** The texts of a data part `suggestions` in the last message: an agent offers them as the next question. */
function followUpsIn(state: AgentState): readonly string[] {
  const parts = Conversation.messages(state).at(-1)?.parts ?? [];
  const part = parts.findLast((one) => one.type === 'data' && one.name === 'suggestions');
  const given = part?.type === 'data' && Array.isArray(part.data) ? part.data : [];
  return given.filter((text) => typeof text === 'string' && text.length <= most.characters) as string[];
}

/** Messages that a person sends by a click: those given for an empty chat, else those of the last answer. */
export function Suggestions({ start = [] }: { readonly start?: readonly string[] | undefined }): ReactNode {
  const session = useAgentSession();
  const { status } = useAgentStatus();
  const followUps = useAgentState(followUpsIn);
  const ids = useAgentState(Conversation.messageIds);
  const { suggestions } = useTexts().chat;
  const { isGiven, problem, give } = useCommand(ids);
  const shown = (ids.length === 0 ? start : followUps).slice(0, most.suggestions);
  if (status !== 'ready' || isGiven || shown.length === 0) return null;
  const send = (text: string): void => {
    notifySent(session);
    void give(() => session.sendMessage(text));
  };
  return (
    <div className="vitrine-suggestions" role="group" aria-label={suggestions}>
      <Refusal problem={problem} />
      {shown.map((text) => (
        <Button key={text} dir="auto" onClick={() => send(text)}>
          <VisibleText text={text} />
        </Button>
      ))}
    </div>
  );
}
