'use client';

import { type ChatMessage, Message } from '@vitrine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { useBranches } from '../../hooks/use-branches.ts';
import { Attachment } from '../kit/attachment.tsx';
import { IconButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { BranchArrows } from './branch-arrows.tsx';
import { EditField } from './edit-field.tsx';

type UserMessageProps = {
  readonly message: ChatMessage;
  /** True for the last message. */
  readonly isLast: boolean;
};

/** A message of the person, with a button to edit it and arrows to its earlier versions. */
export function UserMessage({ message, isLast }: UserMessageProps): ReactNode {
  const { edit } = useAgentSession();
  const texts = useTexts().messages;
  const [editedId, setEditedId] = useState<string | null>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  const isEdited = editedId === message.id;
  const text = Message.text(message);

  // After sending or cancelling, the focus returns to the edit button.
  useEffect(() => {
    if (wasEdited.current && !isEdited) editButton.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);

  const send = (next: string): void => {
    setEditedId(null);
    // Attached files stay attached.
    const files = message.parts.filter((part) => part.type === 'file');
    void edit(message.id, { text: next, files });
  };
  if (isEdited) return <EditField text={text} onSend={send} onCancel={() => setEditedId(null)} />;
  return (
    <>
      <article className="vitrine-message vitrine-user" aria-label={texts.ofPerson}>
        {text !== '' && (
          <p dir="auto">
            <VisibleText text={text} />
          </p>
        )}
        {message.parts.map((part, index) => part.type === 'file' && <Attachment key={index} file={part} />)}
      </article>
      <div className="vitrine-actions vitrine-of-user">
        {isLast && <OtherAnswers id={message.id} />}
        <IconButton
          buttonRef={editButton}
          icon="pencil"
          label={texts.edit}
          onClick={() => setEditedId(message.id)}
        />
        <BranchArrows id={message.id} kind="version" />
      </div>
    </>
  );
}

/** A link back to an earlier answer, for a message whose last attempt gave none. */
function OtherAnswers({ id }: { readonly id: string }): ReactNode {
  const { switchBranch } = useAgentSession();
  const { earlierAnswer } = useTexts().messages;
  const last = useBranches(id).answers.at(-1);
  if (last === undefined) return null;
  return (
    <button type="button" className="vitrine-button vitrine-quiet" onClick={() => void switchBranch(last)}>
      {earlierAnswer}
    </button>
  );
}
