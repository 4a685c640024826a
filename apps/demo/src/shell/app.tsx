import type { ServedModel, SessionStore } from '@vitrine/react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { afterBox } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { holdPanelRoom } from './panel-room.ts';
import { SessionPane } from './session-pane.tsx';
import { SkipLink } from './skip-link.tsx';
import { storedAgent } from './stored-agent.ts';
import { useMediaQuery } from '../kit/use-media-query.ts';
import { useModelChoice } from '../settings/use-model-choice.ts';
import { isNew, useSessionId } from './use-session-id.ts';

const BesideChat = later({
  load: async () => (await afterBox(() => import('./beside-chat.tsx'))).BesideChat,
  name: 'The list of sessions',
  place: (content) => <div className="vitrine-sessions">{content}</div>,
});
// Also part of the production build, because the panel is part of the demo.
const loadPanel = (): Promise<typeof import('./panel.tsx')> => afterBox(() => import('./panel.tsx'));
const DockedPanel = later({
  load: async () => (await loadPanel()).DockedPanel,
  name: 'The panel',
});
const SettingsDialog = later({
  load: async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog,
  name: 'The settings',
});

const isWide = window.matchMedia('(min-width: 1100px)').matches;
const giveRoomBack = holdPanelRoom({ isOpen: isWide, position: isWide ? 'right' : 'bottom' });
loadPanel().catch(giveRoomBack);

/** The page: the list of sessions, the conversation and the panel. */
export function App({ sessions }: { readonly sessions: SessionStore }): ReactNode {
  const [sessionId, openSession] = useSessionId();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [areSettingsOpen, setSettingsOpen] = useState(false);
  const [served, setServed] = useState<readonly ServedModel[] | null>(null);
  const models = useModelChoice(served);
  const next = useMemo(
    () => ({ sessionId, stored: isNew(sessionId) ? null : storedAgent(sessions, sessionId) }),
    [sessions, sessionId],
  );
  // The old session stays until the agent of the next one is known.
  const known = useDeferredValue(next);
  const isNarrow = useMediaQuery('(max-width: 719px)');
  const open = (id: string, isNewOne: boolean): void => {
    openSession(id, isNewOne);
    setMenuOpen(false);
  };
  return (
    <>
      <div className="page">
        <div className="app" data-menu={isMenuOpen ? 'open' : 'closed'}>
          <SkipLink />
          <BesideChat currentId={sessionId} onOpen={open} onModels={setServed} />
          <button
            className="scrim"
            aria-label="Close the list of sessions"
            tabIndex={-1}
            onClick={() => setMenuOpen(false)}
          />
          <SessionPane
            shown={next.stored === null ? next : known}
            sessions={sessions}
            models={models}
            isNarrow={isNarrow}
            onOpen={openSession}
            onMenu={() => setMenuOpen((is) => !is)}
            onSettings={() => setSettingsOpen(true)}
          />
        </div>
      </div>
      {!isNarrow && <DockedPanel isWide={isWide} onRoom={giveRoomBack} />}
      {areSettingsOpen && <SettingsDialog models={models} onClose={() => setSettingsOpen(false)} />}
    </>
  );
}
