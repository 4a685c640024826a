import type { AgentDefinition } from '../agent/agent-definition.ts';
import { checkedEnv, type Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import { needsRun } from './answer-call.ts';
import { drive } from './drive.ts';
import type { JournalLease } from './journal.ts';
import type { HookContract, Perform, ReadBlob, RunEnd } from './run.ts';

export type JournalRun = {
  readonly agent: AgentDefinition;
  readonly lease: JournalLease;
  readonly env: Env;
  /** Aborts the run. Its reason may be an AgentStopError with the signal to record. */
  readonly signal?: AbortSignal | null;
  readonly perform?: Perform;
  readonly hookContract?: HookContract;
  /** The model of this turn. */
  readonly model?: string | null;
  /** Returns the messages that a person has added since the last call; called after every step. */
  readonly takeSteered?: () => readonly Message[];
  readonly checkpoint?: (state: AgentState) => Promise<void>;
  /** Resolves when everything committed is stored; rejects when that fails. Default: nothing is stored. */
  readonly whenStored?: (() => Promise<void>) | null;
  /** Reads the files that messages reference by hash. Default: there are none. */
  readonly readBlob?: ReadBlob | null;
};

const direct: Perform = (_key, work) => work();

/**
 * Runs an agent over a journal until its execution ends or waits for a person. A run in progress is
 * resumed, else a new one begins. An aborted signal ends a waiting run properly. Never rejects.
 */
export async function runOnJournal(request: JournalRun): Promise<RunEnd> {
  const { agent, lease, takeSteered = () => [], checkpoint = async () => undefined } = request;
  for (;;) {
    const end = await drive({
      agent,
      lease,
      path: [],
      env: checkedEnv(request.env),
      signal: request.signal ?? null,
      perform: request.perform ?? direct,
      hookContract: request.hookContract ?? 'warn',
      model: request.model ?? null,
      depth: 0,
      maxDepth: agent.subagentPolicy.maxDepth,
      lentTools: [],
      parentLedger: null,
      takeSteered,
      checkpoint,
      whenStored: request.whenStored ?? null,
      readBlob: request.readBlob ?? null,
    });
    // An answer may have arrived between the last check and the pause.
    if (end === 'ended' || !needsRun(lease.state())) return end;
  }
}
