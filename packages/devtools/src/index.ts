'use client';

import * as panel from './agent-devtools.tsx';

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
  process.env.NODE_ENV === 'production' ? () => () => undefined : panel.mountAgentDevtools;
