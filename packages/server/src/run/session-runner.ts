import { AgentError, type AgentDefinition } from '@vitrine/core';
import { keyOf, type Lease, type SessionAddress } from '../host/session-host.ts';
import { type LeasedOptions, type LeasedRun, runLeased } from './run-leased.ts';

/** The sessions that run in this process. */
export type SessionRunner = ReturnType<typeof createSessionRunner>;

export type RunnerOptions = Omit<LeasedOptions, 'agent' | 'address' | 'lease'> & {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
};

export function createSessionRunner({ agents, host, ...options }: RunnerOptions) {
  const live = new Map<string, LeasedRun>();
  let isDraining = false;
  return {
    async run(address: SessionAddress, lease: Lease): Promise<void> {
      if (isDraining) throw new Error('The server stops.');
      const agent = agentOf(agents, address.agent);
      // Its commands wait for a process that has it; this one asks again and again, with longer pauses.
      if (agent === null)
        throw new AgentError('agent-invalid', `This process has no agent ${JSON.stringify(address.agent)}.`);
      const run = runLeased({ ...options, agent, address, lease, host });
      live.set(keyOf(address), run);
      try {
        await run.done;
      } finally {
        live.delete(keyOf(address));
      }
    },
    isLive: (address: SessionAddress): boolean => live.has(keyOf(address)),
    /** Begins no session any more, and leaves each at a moment when no tool runs, or after the grace time. */
    async drain(graceMs: number): Promise<void> {
      isDraining = true;
      const until = performance.now() + graceMs;
      await Promise.all([...live.values()].map((run) => run.drain(until)));
    },
  };
}

/** The agent of a name; null for an unknown one. */
export function agentOf(
  agents: Readonly<Record<string, AgentDefinition>>,
  name: string,
): AgentDefinition | null {
  return Object.hasOwn(agents, name) ? (agents[name] ?? null) : null;
}
