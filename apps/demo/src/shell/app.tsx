import { AgentSession } from '@vitrine/react';
import { SessionList } from '@vitrine/react/components';
import { type ReactNode, useMemo, useState } from 'react';
import { createAssistant } from '../agent/assistant.ts';
import { Chat } from '../chat/chat.tsx';
import { TopBar } from './top-bar.tsx';
import { useModelChoice } from './use-model-choice.ts';
import { useSessionId } from './use-session-id.ts';

/** The whole page: sessions at the left, the conversation beside them. */
export function App(): ReactNode {
  const [sessionId, openSession] = useSessionId();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const models = useModelChoice();
  const { model, reasoning } = models.choice;
  const assistant = useMemo(() => createAssistant({ model, reasoning }), [model, reasoning]);
  const open = (id?: string): void => {
    openSession(id);
    setMenuOpen(false);
  };
  return (
    <div className="app" data-menu={isMenuOpen ? 'open' : 'closed'}>
      <a
        className="skip-link"
        href="#composer"
        onClick={(event) => {
          // The address names the session.
          event.preventDefault();
          document.getElementById('composer')?.focus();
        }}
      >
        Skip to the message box
      </a>
      <SessionList currentId={sessionId} onOpen={open} />
      <button
        className="scrim"
        aria-label="Close the list of sessions"
        tabIndex={-1}
        onClick={() => setMenuOpen(false)}
      />
      <AgentSession key={sessionId} agent={assistant} sessionId={sessionId}>
        <div className="main">
          <TopBar models={models} onMenu={() => setMenuOpen((is) => !is)} />
          <Chat onOpen={openSession} />
        </div>
      </AgentSession>
    </div>
  );
}
