'use client';

// The panel also in production builds. Its types are those of the main entry.
export { AgentDevtools, AgentDevtoolsPanel, mountAgentDevtools } from './agent-devtools.tsx';
export { definePanelTab } from './define-panel-tab.ts';
export { agentDevtoolsPlugin } from './tanstack-plugin.tsx';
