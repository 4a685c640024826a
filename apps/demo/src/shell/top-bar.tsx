import type { SessionStore } from '@vitrine/react';
import type { ReactNode } from 'react';
import type { AgentCard } from '../agents/agent-cards.ts';
import { afterBox } from '../kit/after-box.ts';
import type { Theme } from '../settings/settings.ts';
import { changeSettings, useSettings } from '../settings/use-settings.ts';
import { Icon } from '../kit/icon.tsx';
import { later } from '../kit/later.tsx';

const TokenCount = later({
  load: async () => (await afterBox(() => import('./token-count.tsx'))).TokenCount,
});

const ServerMark = later({
  load: async () => (await afterBox(() => import('../server/server-mark.tsx'))).ServerMark,
});
/** The agents that the server has. */
const runsOnServer: readonly AgentCard['id'][] = ['researcher'];

type TopBarProps = {
  readonly card: AgentCard;
  readonly isOnServer: boolean;
  /** The name of the only model; null where a person chooses one in the message box. */
  readonly model: string | null;
  readonly sessions: SessionStore;
  readonly sessionId: string;
  /** Opens a new session, which begins with the examples. */
  readonly onNew: () => void;
  readonly onSettings: () => void;
  /** The button of the panel, on narrow pages. */
  readonly panelButton: ReactNode;
};

const order: readonly Theme[] = ['system', 'light', 'dark'];

export function TopBar(props: TopBarProps): ReactNode {
  const { card, isOnServer, model, sessions, sessionId, onNew, onSettings, panelButton } = props;
  const { theme } = useSettings();
  return (
    <header className="top-bar">
      <h1 className="brand">Vitrine</h1>
      <span className="badge agent-badge">{card.name}</span>
      {model !== null && !isOnServer && <span className="badge">{model}</span>}
      {runsOnServer.includes(card.id) && (
        <ServerMark sessionId={sessionId} agentId={card.id} isOnServer={isOnServer} />
      )}
      <span className="spacer" />
      <TokenCount sessions={sessions} sessionId={sessionId} />
      {panelButton}
      <button
        className="vitrine-icon-button new-session"
        aria-label="New session, with examples"
        title="New session, with examples"
        onClick={onNew}
      >
        <Icon name="plus" />
      </button>
      <button
        className="vitrine-icon-button theme-button"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={() =>
          changeSettings({ theme: order[(order.indexOf(theme) + 1) % order.length] ?? 'system' })
        }
      >
        <Icon name={theme === 'dark' ? 'moon' : theme === 'light' ? 'sun' : 'system'} />
      </button>
      <button className="vitrine-icon-button" aria-label="Settings" title="Settings" onClick={onSettings}>
        <Icon name="settings" />
      </button>
    </header>
  );
}
