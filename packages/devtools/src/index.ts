'use client';

// Bundlers take it for development and for `@vitrine/devtools/production`, and otherwise `absent.ts`.
export { AgentDevtools, AgentDevtoolsPanel, mountAgentDevtools } from './agent-devtools.tsx';
export {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from './define-panel-tab.ts';
export type * from './options.ts';
export type { SomeTexts, Texts } from './texts.ts';
export { agentDevtoolsPlugin, type AgentDevtoolsPlugin } from './tanstack-plugin.tsx';
