import type { AgentDefinition } from '../agent/agent-definition.ts';
import { loadConverterFor } from '../agent/json-schema-of.ts';
import { features } from '../features/features.ts';
import { checkedEnv, type Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import { needsRun } from '../run/answer-call.ts';
import { drive } from '../run/drive.ts';
import type { EffectLog } from '../run/effect-log.ts';
import type { JournalLease } from '../run/journal.ts';
import type { Ledger } from '../run/ledger.ts';
import type { Feature, HookContract, Life, ReadBlob, Recording, RunEnd } from '../run/slots.ts';

export type JournalRun = {
  readonly agent: AgentDefinition;
  readonly lease: JournalLease;
  readonly env: Env;
  /** Aborts the run. Its reason may be an AgentStopError with the signal to record. */
  readonly signal?: AbortSignal | null;
  /** The log of calls of models and tools. Default: every call is made. */
  readonly effects?: EffectLog | null;
  readonly recording?: Recording;
  /** The features of the run, outermost first. Default: all of the library. */
  readonly features?: readonly Feature[];
  readonly hookContract?: HookContract;
  /** The model of this turn. */
  readonly model?: string | null;
  /** The turn of a session that the execution belongs to; null without a session. */
  readonly turnId?: string | null;
  /** The id of the principal for whom a new execution works; one that goes on keeps its own. */
  readonly by?: string | null;
  /** Returns the messages that a person has added since the last call; called after every step. */
  readonly takeSteered?: () => readonly Message[];
  readonly checkpoint?: (state: AgentState) => Promise<void>;
  /** Resolves when everything committed is stored; rejects when that fails. Default: nothing is stored. */
  readonly whenStored?: (() => Promise<void>) | null;
  /** Writes what is due and resolves when that has ended, well or not; null while nothing is due. */
  readonly untilWritten?: () => Promise<unknown> | null;
  /** Reads the files that messages reference by hash. Default: there are none. */
  readonly readBlob?: ReadBlob | null;
  /** The session of the run. Default: the run is its own. */
  readonly life?: Life;
  /** The ledger above that of the run, which several runs may share. Default: none. */
  readonly ledger?: Ledger | null;
};

/**
 * Runs an agent over a journal until its execution ends or waits for a person. A run in progress is
 * resumed, else a new one begins. An aborted signal ends a waiting run properly. Never rejects.
 */
export async function runOnJournal(request: JournalRun): Promise<RunEnd> {
  const own = new AbortController();
  const { life = { sessionId: null, signal: own.signal } } = request;
  try {
    const { agent, lease, takeSteered = () => [], checkpoint = async () => undefined } = request;
    const loading = loadConverterFor(agent);
    if (loading !== null) await loading;
    for (;;) {
      const end = await drive({
        agent,
        features: request.features ?? features,
        lease,
        path: [],
        env: checkedEnv(request.env),
        signal: request.signal ?? null,
        effects: request.effects ?? null,
        recording: request.recording ?? null,
        hookContract: request.hookContract ?? 'warn',
        model: request.model ?? null,
        turnId: request.turnId ?? null,
        by: givenBy(lease.state(), request.by ?? null),
        depth: 0,
        maxDepth: agent.subagentPolicy.maxDepth,
        lentTools: [],
        parentLedger: request.ledger ?? null,
        takeSteered,
        checkpoint,
        whenStored: request.whenStored ?? null,
        untilWritten: request.untilWritten ?? (() => null),
        readBlob: request.readBlob ?? null,
        life,
      });
      // An answer may have arrived between the last check and the pause.
      if (end === 'ended' || !needsRun(lease.state())) return end;
    }
  } finally {
    own.abort();
  }
}

/** The principal of a run: that of the execution that goes on, or that of a new one. */
function givenBy({ execution }: AgentState, by: string | null): string | null {
  return (execution?.status === 'in-progress' ? execution.by : undefined) ?? by;
}
