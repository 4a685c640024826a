import { useAgentSession } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { Icon } from '../shell/icon.tsx';
import { BranchArrows } from './branch-arrows.tsx';

type AnswerActionsProps = { readonly id: string; readonly onOpen: (sessionId: string) => void };

/** What can be done with an answer: the others beside it, one more, and a session of its own from here. */
export function AnswerActions({ id, onOpen }: AnswerActionsProps): ReactNode {
  const { regenerate, fork } = useAgentSession();
  const [failure, setFailure] = useState<string | null>(null);
  const forkHere = (): void => {
    fork({ messageId: id }).then(onOpen, (thrown: unknown) =>
      setFailure(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  const answerAgain = (target: HTMLElement): void => {
    // The answer goes, and the button with it: the conversation takes the focus.
    target.closest<HTMLElement>('[role="region"]')?.focus();
    void regenerate(id);
  };
  return (
    <div className="message-actions">
      <BranchArrows id={id} noun="answer" />
      <button
        className="icon-button"
        aria-label="Answer again"
        title="Answer again"
        onClick={({ currentTarget }) => answerAgain(currentTarget)}
      >
        <Icon name="again" />
      </button>
      <button
        className="icon-button"
        aria-label="Fork into a new session"
        title="Fork into a new session"
        onClick={forkHere}
      >
        <Icon name="fork" />
      </button>
      <span role="status">{failure}</span>
    </div>
  );
}
