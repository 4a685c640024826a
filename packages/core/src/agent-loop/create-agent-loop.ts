import type { AgentDefinition } from '../agent/agent-definition.ts';
import { checkAgent } from '../agent/check-init.ts';
import { checkedEnv, type Env, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import { createChannel } from '../kit/async.ts';
import type { EffectLog } from '../run/effect-log.ts';
import type { AgentEvent, AgentEventListener } from '../run/events.ts';
import { createJournal, type Journal } from '../run/journal.ts';
import { runOnJournal } from './run-on-journal.ts';
import type { HookContract } from '../run/slots.ts';

/** Options of `createAgentLoop`. */
export type AgentLoopOptions = {
  /** Default: the system's clocks, ids, randomness and timers. */
  env?: Env;
  /** Receives every event of every run. Errors that it throws are reported and do not affect the run. */
  onEvent?: AgentEventListener;
  /**
   * The reaction to a hook that replaces a field which its point does not allow. Default: `warn`, on the console and in
   * development only. `strict` throws `hook-contract`, `diagnostics` sends a `hook-violation`, `off` does nothing.
   */
  hookContract?: HookContract;
  /**
   * Records the outcomes of model and tool calls, so that a resumed run does not make a recorded call again. Call its
   * `forget` when you have stored the state of an ended execution. Default: every call is made.
   */
  effects?: EffectLog;
};

/** Options of one run. Aborting `signal` stops the run; its work so far stays in the state. */
export type RunOptions = { signal?: AbortSignal };
/** An event, and the root agent's state after it. */
type StreamedEvent = { readonly event: AgentEvent; readonly state: AgentState };

/** A runner of one agent over any number of states; it holds no state itself. */
export type AgentLoop = {
  readonly agent: AgentDefinition;
  /** Yields the state after every step, and the final one. The next step begins when the next state is requested. */
  readonly iterate: (state: AgentState, options?: RunOptions) => AsyncIterableIterator<AgentState>;
  /** Resolves with the final state. Errors of the agent are in the state; the promise does not reject for them. */
  readonly execute: (state: AgentState, options?: RunOptions) => Promise<AgentState>;
  /** Yields every event with the state after it. Leaving the loop early leaves a run that can be resumed. */
  readonly stream: (state: AgentState, options?: RunOptions) => AsyncIterableIterator<StreamedEvent>;
};

/**
 * Creates the loop of an agent. Errors of a run are stored in its state and not thrown.
 * @throws AgentError `agent-invalid` for an agent that `defineAgent` did not make
 */
export function createAgentLoop(agent: AgentDefinition, options: AgentLoopOptions = {}): AgentLoop {
  checkAgent(agent, 'createAgentLoop: agent');
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
        await run(journal, channel.signal, channel.untilDrained);
      }),
  };
}
