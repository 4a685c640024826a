import type { ReactElement } from 'react';
import { AgentDevtoolsPanel } from './agent-devtools.tsx';
import type { AgentDevtoolsOptions } from './options.ts';

/** A plugin in the form that TanStack Devtools for React expects. */
export type AgentDevtoolsPlugin = {
  readonly id: string;
  readonly name: string;
  readonly render: (element: HTMLElement, props: { readonly theme: 'light' | 'dark' }) => ReactElement;
};

/**
 * The panel as a plugin of TanStack Devtools: `<TanStackDevtools plugins={[agentDevtoolsPlugin()]} />`. It
 * follows the theme there, and keeps its state when the theme changes.
 */
export function agentDevtoolsPlugin(options: Omit<AgentDevtoolsOptions, 'theme'> = {}): AgentDevtoolsPlugin {
  return {
    id: 'vitrine',
    name: 'Vitrine',
    render: (_element, { theme }) => (
      <AgentDevtoolsPanel {...options} theme={theme} style={{ height: '100%' }} />
    ),
  };
}
