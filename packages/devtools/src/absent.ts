'use client';

import { createElement, Fragment } from 'react';
import type * as panel from './agent-devtools.tsx';
import type * as tanstack from './tanstack-plugin.tsx';

// The main entry outside of development, by the export conditions of the package: no bundler has to find out that it
// does not need the panel.
export { definePanelTab } from './define-panel-tab.ts';

export const AgentDevtools: typeof panel.AgentDevtools = () => null;

export const AgentDevtoolsPanel: typeof panel.AgentDevtoolsPanel = () => null;

export const mountAgentDevtools: typeof panel.mountAgentDevtools = () =>
  Object.assign(() => undefined, { update: () => undefined });

export const agentDevtoolsPlugin: typeof tanstack.agentDevtoolsPlugin = () => ({
  id: 'vitrine',
  name: 'Vitrine',
  render: () => createElement(Fragment),
});
