export type SizeBudget = {
  readonly name: string;
  /** What an application writes. */
  readonly code: string;
  /** Bytes after gzip, without React and TanStack Query, and without what is loaded on first use. */
  readonly limit: number;
  /** Text that must not be in the bundle, nor in a chunk beside it. */
  readonly without?: string;
};

export const sizeBudgets: readonly SizeBudget[] = [
  { name: 'useAgent with core', code: "export { useAgent } from '@vitrine/react'", limit: 12_288 },
  { name: 'createAgentSession', code: "export { createAgentSession } from '@vitrine/core'", limit: 11_264 },
  { name: 'StopSignal', code: "export { StopSignal } from '@vitrine/core'", limit: 2_304 },
  {
    name: 'devtools in production',
    code: "export { AgentDevtools } from '@vitrine/devtools'",
    limit: 300,
    without: 'Why did it stop',
  },
];
