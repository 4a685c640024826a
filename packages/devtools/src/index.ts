'use client';

import * as panel from './agent-devtools.tsx';

export type * from './options.ts';

declare const process: { env: { NODE_ENV?: string } };
const isProduction = process.env.NODE_ENV === 'production';

/** The panel with its button, over the page. Renders nothing in production; see `@vitrine/devtools/production`. */
export const AgentDevtools: typeof panel.AgentDevtools = isProduction ? () => null : panel.AgentDevtools;

/** The panel alone, in the place where it is rendered. Renders nothing in production. */
export const AgentDevtoolsPanel: typeof panel.AgentDevtoolsPanel = isProduction
  ? () => null
  : panel.AgentDevtoolsPanel;

/** The panel for pages that are not made with React; returns the function that takes it away. Does nothing in production. */
export const mountAgentDevtools: typeof panel.mountAgentDevtools = isProduction
  ? () => () => undefined
  : panel.mountAgentDevtools;
