'use client';

import { type ChatMessage, Message } from '@vitrine/core';
import { type ReactNode, useContext, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-session.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { IconButton } from '../kit/icon-button.tsx';
import { BranchArrows } from './branch-arrows.tsx';
import { ConversationSettingsContext } from './conversation-settings.ts';

/** The actions on an answer: switch between its versions, copy, regenerate, fork into a new session. */
export function AnswerActions({ message }: { readonly message: ChatMessage }): ReactNode {
  const { regenerate, fork } = useAgentSession();
  const { onFork } = useContext(ConversationSettingsContext);
  const [failure, setFailure] = useState<string | null>(null);
  const { id } = message;
  const text = Message.text(message);
  const forkHere = (open: (sessionId: string) => void): void => {
    fork({ messageId: id }).then(open, (thrown: unknown) =>
      setFailure(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  return (
    <div className="vitrine-actions">
      <BranchArrows id={id} noun="answer" />
      {text !== '' && <CopyButton text={text} label="Copy answer" />}
      <IconButton icon="again" label="Answer again" onClick={() => void regenerate(id)} />
      {onFork && <IconButton icon="fork" label="Fork into a new session" onClick={() => forkHere(onFork)} />}
      <span className="vitrine-outcome" role="status">
        {failure}
      </span>
    </div>
  );
}
