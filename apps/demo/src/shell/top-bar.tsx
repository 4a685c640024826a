import { AgentState, useAgentState } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { ModelSelect } from './model-select.tsx';
import type { useModelChoice } from './use-model-choice.ts';
import { useTheme } from './use-theme.ts';

type TopBarProps = {
  readonly models: ReturnType<typeof useModelChoice>;
  readonly onMenu: () => void;
};

export function TopBar({ models, onMenu }: TopBarProps): ReactNode {
  const [theme, nextTheme] = useTheme();
  const tokens = useAgentState((state) => AgentState.usage(state).totalTokens);
  return (
    <header className="top-bar">
      <button className="vitrine-icon-button menu-button" aria-label="Sessions" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 className="brand">Vitrine</h1>
      <ModelSelect {...models} />
      <span className="spacer" />
      {tokens > 0 && <span className="usage">{tokens.toLocaleString('en')} tokens</span>}
      <button
        className="vitrine-icon-button"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={nextTheme}
      >
        <Icon name={theme === 'dark' ? 'moon' : theme === 'light' ? 'sun' : 'system'} />
      </button>
    </header>
  );
}
