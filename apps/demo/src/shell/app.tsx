import { AgentProvider, type ServedModel, type SessionStore, systemEnv } from '@vitrine/react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { OpenSession } from '../chat/open-session.tsx';
import { afterBox } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { useMediaQuery } from '../kit/use-media-query.ts';
import { useModelChoice } from '../settings/use-model-choice.ts';
import { faultInAddress } from '../gallery/fault-in-address.ts';
import { Icon } from '../kit/icon.tsx';
import { holdPanelRoom } from '../panel/panel-room.ts';
import { storedAgent } from './stored-agent.ts';
import { TopBar } from './top-bar.tsx';
import { isNew, useSessionId } from './use-session-id.ts';

const ServedModels = later({
  load: async () => (await afterBox(() => import('./served-models.tsx'))).ServedModels,
});
// Also part of the production build, because the panel is part of the demo.
const loadPanel = (): Promise<typeof import('../panel/panel.tsx')> =>
  afterBox(() => import('../panel/panel.tsx'));
const DockedPanel = later({
  load: async () => (await loadPanel()).DockedPanel,
  name: 'The panel',
});
const PanelSheet = later({
  load: async () => (await import('../panel/panel.tsx')).PanelSheet,
  name: 'The panel',
});
const SettingsDialog = later({
  load: async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog,
  name: 'The settings',
});
const Gallery = later({
  load: async () => (await import('../gallery/gallery.tsx')).Gallery,
  name: 'The gallery',
});

const isGallery = faultInAddress() !== null;
const isWide = window.matchMedia('(min-width: 1100px)').matches;
const giveRoomBack = holdPanelRoom({ isOpen: isWide, position: isWide ? 'right' : 'bottom' });
loadPanel().catch(giveRoomBack);

type PageProps = { readonly sessions: SessionStore };

/** The page: the chat, or the gallery of faults, and the panel. */
export function App({ sessions }: PageProps): ReactNode {
  const [isPanelOpen, setPanelOpen] = useState(isGallery);
  const isNarrow = useMediaQuery('(max-width: 719px)');
  const panelButton = isNarrow && (
    <button
      className="vitrine-icon-button"
      aria-label="Panel"
      aria-expanded={isPanelOpen}
      onClick={() => setPanelOpen((is) => !is)}
    >
      <Icon name="panel" />
    </button>
  );
  const docked = { isWide, onRoom: giveRoomBack };
  if (isGallery)
    return (
      <Gallery
        panelButton={panelButton}
        docked={isNarrow ? null : docked}
        hasSheet={isNarrow && isPanelOpen}
      />
    );
  return (
    <>
      <AgentProvider sessions={sessions}>
        <ChatPage sessions={sessions} panelButton={panelButton} />
      </AgentProvider>
      {isNarrow ? isPanelOpen && <PanelSheet /> : <DockedPanel {...docked} />}
    </>
  );
}

type ChatPageProps = PageProps & {
  /** The button of the panel, on narrow pages. */
  readonly panelButton: ReactNode;
};

/** The chat with the session in the address. */
function ChatPage({ sessions, panelButton }: ChatPageProps): ReactNode {
  const [sessionId, openSession] = useSessionId();
  const [areSettingsOpen, setSettingsOpen] = useState(false);
  const [served, setServed] = useState<readonly ServedModel[] | null>(null);
  const models = useModelChoice(served);
  const next = useMemo(
    () => ({ sessionId, stored: isNew(sessionId) ? null : storedAgent(sessions, sessionId) }),
    [sessions, sessionId],
  );
  // The old session stays until the agent of the next one is known.
  const known = useDeferredValue(next);
  const shown = next.stored === null ? next : known;
  return (
    <>
      <OpenSession
        shown={shown}
        sessions={sessions}
        model={models.choice}
        onOpen={openSession}
        onSettings={setSettingsOpen}
        header={(about) => (
          <TopBar
            {...about}
            model={models.models.length === 1 ? (models.current?.name ?? null) : null}
            sessions={sessions}
            sessionId={shown.sessionId}
            onNew={() => openSession(systemEnv.id(), true)}
            onSettings={() => setSettingsOpen(true)}
            panelButton={panelButton}
          />
        )}
      />
      <ServedModels onModels={setServed} />
      {areSettingsOpen && <SettingsDialog models={models} onClose={() => setSettingsOpen(false)} />}
    </>
  );
}
