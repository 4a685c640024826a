import { AgentSession } from '@vitrine/react';
import { type ReactNode, useMemo, useState } from 'react';
import { createAssistant } from '../agent/assistant.ts';
import { Chat } from '../chat/chat.tsx';
import { SessionList } from '../sessions/session-list.tsx';
import { UndoToast } from '../sessions/undo-toast.tsx';
import { useDeletion } from '../sessions/use-deletion.ts';
import { TopBar } from './top-bar.tsx';
import { useModelChoice } from './use-model-choice.ts';
import { useSessionId } from './use-session-id.ts';

/** The whole page: sessions at the left, the conversation beside them. */
export function App(): ReactNode {
  const [sessionId, openSession] = useSessionId();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const models = useModelChoice();
  const { model, reasoning } = models.choice;
  const assistant = useMemo(() => createAssistant({ model, reasoning }), [model, reasoning]);
  const open = (id?: string): void => {
    openSession(id);
    setMenuOpen(false);
  };
  const { deleted, remove, undo, forget } = useDeletion({
    currentId: sessionId,
    onOpen: open,
    onError: setFailure,
  });
  return (
    <>
      <AgentSession key={sessionId} agent={assistant} sessionId={sessionId}>
        <div className="app" data-menu={isMenuOpen ? 'open' : 'closed'}>
          <a
            className="skip-link"
            href={`#${sessionId}`}
            onClick={() => document.getElementById('composer')?.focus()}
          >
            Skip to the message box
          </a>
          <SessionList
            currentId={sessionId}
            onOpen={open}
            onDelete={remove}
            failure={failure}
            onError={setFailure}
          />
          <button
            className="scrim"
            aria-label="Close the list of sessions"
            tabIndex={-1}
            onClick={() => setMenuOpen(false)}
          />
          <div className="main">
            <TopBar models={models} onMenu={() => setMenuOpen((is) => !is)} />
            <Chat onOpen={openSession} />
          </div>
        </div>
      </AgentSession>
      {deleted && <UndoToast key={deleted.id} {...deleted} onUndo={undo} onEnd={forget} />}
    </>
  );
}
