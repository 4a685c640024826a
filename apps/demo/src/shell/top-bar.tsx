import type { ReactNode } from 'react';
import type { Theme } from '../settings/settings.ts';
import { changeSettings, useSettings } from '../settings/use-settings.ts';
import { Icon } from './icon.tsx';
import { ModelSelect } from './model-select.tsx';
import type { useModelChoice } from './use-model-choice.ts';
import { useSessionTokens } from './use-session-tokens.ts';

type TopBarProps = {
  readonly agentName: string;
  readonly models: ReturnType<typeof useModelChoice>;
  readonly onMenu: () => void;
  readonly onSettings: () => void;
  /** Opens and closes the sheet of the panel; null where it stands at a side. */
  readonly onPanel: (() => void) | null;
  readonly isPanelOpen: boolean;
};

const order: readonly Theme[] = ['system', 'light', 'dark'];

export function TopBar(props: TopBarProps): ReactNode {
  const { agentName, models, onMenu, onSettings, onPanel, isPanelOpen } = props;
  const { theme } = useSettings();
  const tokens = useSessionTokens();
  return (
    <header className="top-bar">
      <button className="vitrine-icon-button menu-button" aria-label="Sessions" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 className="brand">Vitrine</h1>
      <span className="badge agent-badge">{agentName}</span>
      <ModelSelect {...models} />
      <span className="spacer" />
      {tokens > 0 && (
        <span className="usage" title="Of the runs since the session was opened here">
          {tokens.toLocaleString('en')} tokens
        </span>
      )}
      {onPanel && (
        <button
          className="vitrine-icon-button"
          aria-label="Panel"
          aria-expanded={isPanelOpen}
          onClick={onPanel}
        >
          <Icon name="panel" />
        </button>
      )}
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
