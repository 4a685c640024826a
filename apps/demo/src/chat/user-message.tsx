import { type ChatMessage, Message, useAgentSession, useBranches } from '@vitrine/react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../shell/icon.tsx';
import { Attachment } from './attachment.tsx';
import { BranchArrows } from './branch-arrows.tsx';
import { EditField } from './edit-field.tsx';
import { VisibleText } from './visible-text.tsx';

type UserMessageProps = {
  readonly message: ChatMessage;
  /** Nothing stands behind it. */
  readonly isLast: boolean;
};

/** What the person said: it can be said differently, and the arrows lead to what it was before. */
export function UserMessage({ message, isLast }: UserMessageProps): ReactNode {
  const { edit } = useAgentSession();
  const [editedId, setEditedId] = useState<string | null>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  const isEdited = editedId === message.id;
  const text = Message.text(message);

  // Who has finished, one way or the other, is where the edit began.
  useEffect(() => {
    if (wasEdited.current && !isEdited) editButton.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);

  const send = (next: string): void => {
    setEditedId(null);
    // What was attached stays attached.
    const files = message.parts.filter((part) => part.type === 'file');
    void edit(message.id, { text: next, files });
  };
  if (isEdited) return <EditField text={text} onSend={send} onCancel={() => setEditedId(null)} />;
  return (
    <>
      <article className="message user" aria-label="You">
        {text !== '' && (
          <p dir="auto">
            <VisibleText text={text} />
          </p>
        )}
        {message.parts.map((part, index) => part.type === 'file' && <Attachment key={index} file={part} />)}
      </article>
      <div className="message-actions of-user">
        {isLast && <OtherAnswers id={message.id} />}
        <button
          ref={editButton}
          className="icon-button"
          aria-label="Edit message"
          title="Edit message"
          onClick={() => setEditedId(message.id)}
        >
          <Icon name="pencil" />
        </button>
        <BranchArrows id={message.id} noun="version" />
      </div>
    </>
  );
}

/** Where the last attempt has brought no answer: the way back to one that did. */
function OtherAnswers({ id }: { readonly id: string }): ReactNode {
  const { switchBranch } = useAgentSession();
  const last = useBranches(id).answers.at(-1);
  if (last === undefined) return null;
  return (
    <button className="button quiet" onClick={() => void switchBranch(last)}>
      Show the earlier answer
    </button>
  );
}
