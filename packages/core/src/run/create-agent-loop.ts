import type { AgentDefinition } from '../agent/agent-definition.ts';
import { checkedEnv, type Env, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import { createChannel } from '../kit/channel.ts';
import type { AgentEvent, AgentEventListener } from './events.ts';
import { createJournal, type Journal } from './journal.ts';
import type { HookContract, Perform } from './run.ts';
import { runOnJournal } from './run-on-journal.ts';

/** What a loop may be given besides its agent. */
export type AgentLoopOptions = {
  /** Default: the system's clocks, ids, randomness and timers. */
  env?: Env;
  /** Sees every event of every run; what it throws is reported and harms no run. */
  onEvent?: AgentEventListener;
  /**
   * What happens when a hook replaces a field that its point does not allow. Default: `warn`, on the console and in
   * development only; `strict` throws `hook-contract`, `diagnostics` tells a `hook-violation`.
   */
  hookContract?: HookContract;
  /** Stands between the loop and every call of model and tools. Default: they are called. */
  perform?: Perform;
};

/** `signal` stops the run when it aborts; what it has done so far is in the state. */
export type RunOptions = { signal?: AbortSignal };
/** An event, and the root's state after it. */
export type StreamedEvent = { readonly event: AgentEvent; readonly state: AgentState };

/** Runs an agent over states; holds no state itself, so that one loop may serve many. */
export type AgentLoop = {
  readonly agent: AgentDefinition;
  /** A state after every step, and the final one. The next step begins when the next state is asked for. */
  readonly iterate: (state: AgentState, options?: RunOptions) => AsyncIterableIterator<AgentState>;
  /** The final state. Never rejects for a fault of the agent: that is in the state. */
  readonly execute: (state: AgentState, options?: RunOptions) => Promise<AgentState>;
  /** Every event with the state after it; leaving the loop early leaves the run where it is, to be resumed. */
  readonly stream: (state: AgentState, options?: RunOptions) => AsyncIterableIterator<StreamedEvent>;
};

/** The loop of an agent. @throws nothing: what goes wrong in a run is in its state. */
export function createAgentLoop(agent: AgentDefinition, options: AgentLoopOptions = {}): AgentLoop {
  const { onEvent, ...rest } = options;
  const env = checkedEnv(options.env ?? systemEnv);

  function open(state: AgentState): Journal {
    const journal = createJournal(state, { env });
    if (onEvent) journal.subscribe(onEvent);
    return journal;
  }

  async function run(
    journal: Journal,
    signal: AbortSignal | null,
    checkpoint: (state: AgentState) => Promise<void>,
  ): Promise<AgentState> {
    await runOnJournal({ ...rest, agent, lease: journal.lease().lease, env, signal, checkpoint });
    return journal.state();
  }

  return {
    agent,
    execute: (state, { signal } = {}) => run(open(state), signal ?? null, async () => undefined),
    iterate: (state, { signal } = {}) =>
      createChannel<AgentState>(signal, async (channel) => {
        await channel.send(await run(open(state), channel.signal, channel.send));
      }),
    stream: (state, { signal } = {}) =>
      createChannel<StreamedEvent>(signal, async (channel) => {
        const journal = open(state);
        journal.subscribe((event, after) => channel.post({ event, state: after }));
        await run(journal, channel.signal, channel.drained);
      }),
  };
}
