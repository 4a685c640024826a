import { AgentError, type AgentDefinition, type Env } from '@vitrine/core';
import { keyOf, type RunSession, type SessionAddress, type SessionHost } from '../host/session-host.ts';
import type { CallGuard } from './model-calls.ts';
import { type LeasedRun, runLeased } from './run-leased.ts';
import type { OnWaiting } from './waiting-calls.ts';

/** The sessions that run in this process. */
export type SessionRunner = {
  readonly run: RunSession;
  readonly isLive: (address: SessionAddress) => boolean;
  /** Begins no session any more, and leaves each at a moment when no tool runs, or after the grace time. */
  readonly drain: (graceMs: number) => Promise<void>;
};

export type RunnerOptions = {
  readonly agents: Readonly<Record<string, AgentDefinition>>;
  readonly host: SessionHost;
  readonly lingerMs: number;
  readonly onWaiting: OnWaiting;
  /** Milliseconds that calls wait for approval. */
  readonly approvalMs: number;
  /** The guard and the log of model calls. Default: none. */
  readonly calls?: CallGuard | undefined;
  readonly env?: Env | undefined;
};

export function createSessionRunner({ agents, host, ...options }: RunnerOptions): SessionRunner {
  const live = new Map<string, LeasedRun>();
  let isDraining = false;
  return {
    async run(address, lease) {
      if (isDraining) throw new Error('The server stops.');
      const agent = agentOf(agents, address.agent);
      // Its commands wait for a process that has it; this one asks again and again, with longer pauses.
      if (agent === null)
        throw new AgentError('agent-invalid', `This process has no agent ${JSON.stringify(address.agent)}.`);
      const run = runLeased({ env: undefined, ...options, agent, address, lease, host });
      live.set(keyOf(address), run);
      try {
        await run.done;
      } finally {
        live.delete(keyOf(address));
      }
    },
    isLive: (address) => live.has(keyOf(address)),
    async drain(graceMs) {
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
