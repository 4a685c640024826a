import { AgentState, useAgentState } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { Model } from './use-models.ts';
import { useTheme } from './use-theme.ts';

type TopBarProps = {
  readonly models: readonly Model[];
  readonly model: string | null;
  readonly onModel: (id: string) => void;
  readonly onMenu: () => void;
};

export function TopBar({ models, model, onModel, onMenu }: TopBarProps): ReactNode {
  const [theme, nextTheme] = useTheme();
  const tokens = useAgentState((state) => AgentState.usage(state).totalTokens);
  const current = model ?? models.find((candidate) => candidate.default)?.id ?? '';
  return (
    <header className="top-bar">
      <button className="icon-button menu-button" aria-label="Sessions" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 className="brand">Vitrine</h1>
      {models.length === 1 && <span className="badge">{models[0]?.name}</span>}
      {models.length > 1 && (
        <select
          aria-label="Model"
          className="model-select"
          value={current}
          onChange={(event) => onModel(event.target.value)}
        >
          {models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <span className="spacer" />
      {tokens > 0 && <span className="usage">{tokens.toLocaleString('en')} tokens</span>}
      <button
        className="icon-button"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={nextTheme}
      >
        <Icon name={theme === 'dark' ? 'moon' : theme === 'light' ? 'sun' : 'system'} />
      </button>
    </header>
  );
}
