import type { SessionStore } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { afterBox } from './after-box.ts';
import { later } from './later.tsx';
import { SkipLink } from './skip-link.tsx';
import { useMediaQuery } from './use-media-query.ts';
import { useModelChoice } from './use-model-choice.ts';
import { useSessionId } from './use-session-id.ts';

// Asked for at once, and not waited for before the page is drawn; then comes what stands beside the chat.
const pane = import('./session-pane.tsx');
const list = afterBox(() => import('./session-list.ts'));
const SessionList = later(async () => (await list).SessionList, <div className="vitrine-sessions" />);
const SessionPane = later(async () => (await pane).SessionPane, <div className="main" />);
const DockedPanel = later(async () => (await afterBox(() => import('./panel.tsx'))).DockedPanel);
const SettingsDialog = later(async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog);

/** The whole page: sessions at the left, the conversation beside them, and the panel. */
export function App({ sessions }: { readonly sessions: SessionStore }): ReactNode {
  const [sessionId, openSession] = useSessionId();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [areSettingsOpen, setSettingsOpen] = useState(false);
  const models = useModelChoice();
  const isNarrow = useMediaQuery('(max-width: 719px)');
  const open = (id?: string): void => {
    openSession(id);
    setMenuOpen(false);
  };
  return (
    <>
      <div className="page">
        <div className="app" data-menu={isMenuOpen ? 'open' : 'closed'}>
          <SkipLink />
          <SessionList currentId={sessionId} onOpen={open} />
          <button
            className="scrim"
            aria-label="Close the list of sessions"
            tabIndex={-1}
            onClick={() => setMenuOpen(false)}
          />
          <SessionPane
            sessionId={sessionId}
            sessions={sessions}
            models={models}
            isNarrow={isNarrow}
            onOpen={openSession}
            onMenu={() => setMenuOpen((is) => !is)}
            onSettings={() => setSettingsOpen(true)}
          />
        </div>
      </div>
      {!isNarrow && <DockedPanel />}
      {areSettingsOpen && <SettingsDialog models={models} onClose={() => setSettingsOpen(false)} />}
    </>
  );
}
