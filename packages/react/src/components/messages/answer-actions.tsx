'use client';

import { type ChatMessage, Message } from '@vitrine/core';
import { type ReactNode, useContext, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { IconButton } from '../kit/icon-button.tsx';
import { useTexts } from '../texts-provider.tsx';
import { BranchArrows } from './branch-arrows.tsx';
import { ConversationSettingsContext } from './conversation-settings.ts';

/** The actions on an answer: switch between its versions, copy, regenerate, fork into a new session. */
export function AnswerActions({ message }: { readonly message: ChatMessage }): ReactNode {
  const { regenerate, fork } = useAgentSession();
  const { onFork } = useContext(ConversationSettingsContext);
  const texts = useTexts().messages;
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
      <BranchArrows id={id} kind="answer" />
      {text !== '' && <CopyButton text={text} label={texts.copyAnswer} />}
      <IconButton icon="again" label={texts.answerAgain} onClick={() => void regenerate(id)} />
      {onFork && <IconButton icon="fork" label={texts.fork} onClick={() => forkHere(onFork)} />}
      <span className="vitrine-outcome" role="status">
        {failure}
      </span>
    </div>
  );
}
