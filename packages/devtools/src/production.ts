'use client';

// The panel also in production builds.
export { AgentDevtools, AgentDevtoolsPanel, mountAgentDevtools } from './agent-devtools.tsx';
export * from './shared-names.ts';
export { agentDevtoolsPlugin } from './tanstack-plugin.tsx';
