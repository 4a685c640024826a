import { loadConverterFor } from '../agent/json-schema-of.ts';
import { features } from '../features/features.ts';
import { checkedEnv } from '../graph/env.ts';
import { present } from '../kit/json.ts';
import { needsRun } from '../run/answer-call.ts';
import { drive } from '../run/drive.ts';
import type { Ledger } from '../run/ledger.ts';
import type { RunEnd, RunSetup } from '../run/slots.ts';

/** A run over a journal. What is left out is null, or does nothing; by default it has all features of the library. */
export type JournalRun = Pick<RunSetup, 'agent' | 'lease' | 'env'> &
  Partial<Omit<RunSetup, 'path' | 'depth' | 'maxDepth' | 'lentTools' | 'parentLedger'>> & {
    /** The ledger above that of the run, which several runs may share. */
    readonly ledger?: Ledger | null;
  };

/**
 * Runs an agent over a journal until its execution ends or waits for a person. A run in progress is
 * resumed, else a new one begins. An aborted signal ends a waiting run properly. Never rejects.
 */
export async function runOnJournal(request: JournalRun): Promise<RunEnd> {
  const own = new AbortController();
  try {
    const { agent, lease } = request;
    const loading = loadConverterFor(agent);
    if (loading !== null) await loading;
    for (;;) {
      const { execution } = lease.state();
      // The execution that goes on keeps the principal and the model of its turn.
      const going = execution?.status === 'in-progress' ? execution : null;
      const end = await drive({
        features,
        signal: null,
        effects: null,
        recording: null,
        hookContract: 'warn',
        turnId: null,
        takeSteered: () => [],
        checkpoint: async () => undefined,
        whenStored: null,
        untilWritten: () => null,
        readBlob: null,
        life: { sessionId: null, signal: own.signal },
        ...present(request),
        agent,
        lease,
        path: [],
        env: checkedEnv(request.env),
        by: going?.by ?? request.by ?? null,
        model: going?.turnModel ?? request.model ?? null,
        depth: 0,
        maxDepth: agent.subagentPolicy.maxDepth,
        lentTools: [],
        parentLedger: request.ledger ?? null,
      });
      // An answer may have arrived between the last check and the pause.
      if (end === 'ended' || !needsRun(lease.state())) return end;
    }
  } finally {
    own.abort();
  }
}
