'use client';

import { createElement, Fragment } from 'react';
import * as panel from './agent-devtools.tsx';
import * as tanstack from './tanstack-plugin.tsx';

export {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from './define-panel-tab.ts';
export type { AgentDevtoolsPlugin } from './tanstack-plugin.tsx';

export type * from './options.ts';

declare const process: { env: { NODE_ENV?: string } };

// The whole condition stands in each line: bundlers drop the branch not taken, and the panel with it, before they follow variables.

/** The panel with its button, over the page. Renders nothing in production; see `@vitrine/devtools/production`. */
export const AgentDevtools: typeof panel.AgentDevtools =
  process.env.NODE_ENV === 'production' ? () => null : panel.AgentDevtools;

/** The panel alone, in the place where it is rendered. Renders nothing in production. */
export const AgentDevtoolsPanel: typeof panel.AgentDevtoolsPanel =
  process.env.NODE_ENV === 'production' ? () => null : panel.AgentDevtoolsPanel;

/** The panel for pages that are not made with React; returns the function that takes it away. Does nothing in production. */
export const mountAgentDevtools: typeof panel.mountAgentDevtools =
  process.env.NODE_ENV === 'production'
    ? () => Object.assign(() => undefined, { update: () => undefined })
    : panel.mountAgentDevtools;

/** The panel as a plugin of TanStack Devtools. Renders nothing in production. */
export const agentDevtoolsPlugin: typeof tanstack.agentDevtoolsPlugin =
  process.env.NODE_ENV === 'production'
    ? () => ({ id: 'vitrine', name: 'Vitrine', render: () => createElement(Fragment) })
    : tanstack.agentDevtoolsPlugin;
