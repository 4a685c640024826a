import type { AgentDefinition } from '../agent/agent-definition.ts';
import { type Env, systemEnv } from '../graph/env.ts';
import type { AgentEvent, AgentEventListener } from './agent-event.ts';
import type { AgentState } from '../graph/types.ts';
import { createChannel } from '../kit/channel.ts';
import { drive } from './drive.ts';
import type { HookContract } from './run.ts';

export type AgentLoopOptions = {
  env?: Env;
  /** Sees every event of every run; what it throws is reported and harms no run. */
  onEvent?: AgentEventListener;
  /**
   * What happens when a hook replaces a field that its point does not allow. Default: `warn`, on the console and in
   * development only; `strict` throws `hook-contract`, `diagnostics` emits a `hook-violation`.
   */
  hookContract?: HookContract;
};

export type RunOptions = { signal?: AbortSignal };

/** Runs an agent over states; holds no state itself, so that one loop may serve many. */
export type AgentLoop = {
  readonly agent: AgentDefinition;
  /** A state after every step, and the final one. The next step begins when the next state is asked for. */
  readonly iterate: (state: AgentState, options?: RunOptions) => AsyncIterableIterator<AgentState>;
  /** The final state. Never rejects for a fault of the agent: that is in the state. */
  readonly execute: (state: AgentState, options?: RunOptions) => Promise<AgentState>;
  /** Every event with the state after it; leaving the loop early leaves the run where it is, to be resumed. */
  readonly stream: (state: AgentState, options?: RunOptions) => AsyncIterableIterator<AgentEvent>;
};

export function createAgentLoop(agent: AgentDefinition, options: AgentLoopOptions = {}): AgentLoop {
  const { env = systemEnv, onEvent = () => undefined, hookContract = 'warn' } = options;

  const start = (
    state: AgentState,
    signal: AbortSignal | null,
    listener: AgentEventListener,
    checkpoint: (state: AgentState) => Promise<void>,
  ): Promise<AgentState> =>
    drive({
      agent,
      state,
      env,
      hookContract,
      signal,
      checkpoint,
      budget: agent.budget,
      depth: 0,
      maxDepth: agent.subagentPolicy.maxDepth,
      extraTools: [],
      onEvent: listener,
    });

  return {
    agent,
    execute: (state, { signal } = {}) => start(state, signal ?? null, onEvent, async () => undefined),
    iterate: (state, { signal } = {}) =>
      createChannel<AgentState>(signal, async (channel) => {
        const final = await start(state, channel.signal, onEvent, channel.send);
        await channel.send(final);
      }),
    stream: (state, { signal } = {}) =>
      createChannel<AgentEvent>(signal, async (channel) => {
        const listener = (event: AgentEvent): void => {
          try {
            onEvent(event);
          } finally {
            channel.post(event);
          }
        };
        await start(state, channel.signal, listener, channel.drained);
      }),
  };
}
