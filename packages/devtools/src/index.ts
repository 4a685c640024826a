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
export type * from './options.ts';
export type { SomeTexts, Texts } from './texts.ts';
export type { AgentDevtoolsPlugin } from './tanstack-plugin.tsx';

declare const process: { env: { NODE_ENV?: string } };

// Each export repeats the whole condition: bundlers drop the unused branch, and with it the panel, before
// they resolve variables.

/**
 * Renders the panel and its button over the page. Renders nothing in production; see
 * `@vitrine/devtools/production`.
 */
export const AgentDevtools: typeof panel.AgentDevtools =
  process.env.NODE_ENV === 'production' ? () => null : panel.AgentDevtools;

/** Renders only the panel, in place. Renders nothing in production. */
export const AgentDevtoolsPanel: typeof panel.AgentDevtoolsPanel =
  process.env.NODE_ENV === 'production' ? () => null : panel.AgentDevtoolsPanel;

/**
 * Mounts the panel on a page that does not use React; returns the function that removes it. Does nothing in
 * production.
 */
export const mountAgentDevtools: typeof panel.mountAgentDevtools =
  process.env.NODE_ENV === 'production'
    ? () => Object.assign(() => undefined, { update: () => undefined })
    : panel.mountAgentDevtools;

/** The panel as a plugin of TanStack Devtools. Renders nothing in production. */
export const agentDevtoolsPlugin: typeof tanstack.agentDevtoolsPlugin =
  process.env.NODE_ENV === 'production'
    ? () => ({ id: 'vitrine', name: 'Vitrine', render: () => createElement(Fragment) })
    : tanstack.agentDevtoolsPlugin;
