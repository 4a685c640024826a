'use client';

// What the main entry has in development, in production builds too.
export { AgentDevtools, AgentDevtoolsPanel, mountAgentDevtools } from './agent-devtools.tsx';
export type * from './options.ts';
