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
  /** Its reason may be an AgentStopError with the signal to record. */
  readonly signal?: AbortSignal | null;
  readonly perform?: Perform;
  readonly hookContract?: HookContract;
  /** The model of this turn. */
  readonly model?: string | null;
  /** What a person has put into the run since it was asked last; asked after every step. */
  readonly takeSteered?: () => readonly Message[];
  readonly checkpoint?: (state: AgentState) => Promise<void>;
  /** Resolves when what was committed is stored; rejects when it cannot be. Default: nothing is stored. */
  readonly whenStored?: (() => Promise<void>) | null;
  /** Reads the files that messages hold by hash. Default: there are none. */
  readonly readBlob?: ReadBlob | null;
};

const direct: Perform = (_key, work) => work();

/**
 * Runs an agent over a journal until its execution ends or waits for a person: a new execution, or the one that is in
 * progress. An aborted signal over a run that waits ends it properly. Never rejects.
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
    // An answer may have come in the moment between the last look and the pause.
    if (end === 'ended' || !needsRun(lease.state())) return end;
  }
}
