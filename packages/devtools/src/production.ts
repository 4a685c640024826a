'use client';

// What the main entry has in development, in production builds too.
export { AgentDevtools, AgentDevtoolsPanel, mountAgentDevtools } from './agent-devtools.tsx';
export {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from './define-panel-tab.ts';
export type * from './options.ts';
export { type AgentDevtoolsPlugin, agentDevtoolsPlugin } from './tanstack-plugin.tsx';
