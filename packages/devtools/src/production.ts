'use client';

// The main entry's development exports, also in production builds.
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
