import type { AgentState } from '@vitrine/core/internal/graph/types';
import { isOfUser, branchMessages, placesIn } from '@vitrine/core/internal/session/branches/branch-messages';
import type { OutcomeOf } from '@vitrine/core/internal/session/machine/session-input';
import type { AttachedSession, Settled } from '@vitrine/core/internal/session/persistence';
import type { SaveQueue } from '../writer/save-queue.ts';
import type { Turn } from '@vitrine/core/internal/session/session-commands';

/** The number of conflicts in a row after which a session is reported as not stored. */
const maxAttempts = 8;

/** Makes callers wait until changes are written, and inputs until the session that another writer has stored is read. */
export function createWriteBarrier(
  session: Pick<AttachedSession, 'mailbox' | 'model' | 'state'>,
  parts: { readonly queue: SaveQueue; readonly tabs: { readonly whenKept: () => Promise<boolean> } },
) {
  const { mailbox } = session;
  const { queue, tabs } = parts;
  let rereading: Promise<Fork> = Promise.resolve({ forkedTo: null, forkedTurns: [] });
  let waiting: readonly Promise<unknown>[] = [];

  const lines = (): readonly AgentState[] => [
    session.state,
    ...session.model.tree.branches.map((branch) => branch.state),
  ];

  async function settle(turn: Turn | null): Promise<Settled> {
    const before = lines();
    const isKept = await tabs.whenKept();
    let forkedTo: string | null = null;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const outcome = await queue.flush();
      const stored = session.model.hasStore && isKept && outcome === 'saved';
      if (outcome !== 'conflict') return { stored: stored || (turn !== null && forkedTo !== null), forkedTo };
      const fork = session.model.conflict?.phase === 'reading' ? await rereading : null;
      // The first fork that a turn goes to has it; later ones hold other answers.
      if (turn === null) forkedTo = fork?.forkedTo ?? forkedTo;
      else if (fork !== null && holds(fork, before, turn) && !isIn(lines(), before, turn))
        forkedTo ??= fork.forkedTo;
      if ((session.model.conflict ?? null) !== null || session.model.phase !== 'open') break;
    }
    return { stored: turn !== null && forkedTo !== null, forkedTo };
  }

  /**
   * Resolves when all changes were written, or could not be, and a conflict is resolved. With a turn the outcome is that
   * of its messages.
   */
  function whenSettled(turn: Turn | null = null): Promise<Settled> {
    const settling = settle(turn);
    waiting = [...waiting, settling];
    return settling.finally(() => (waiting = waiting.filter((entry) => entry !== settling)));
  }

  return {
    /** Makes inputs wait until the stored session is read, which then comes first. */
    holdDuring(reading: Promise<OutcomeOf<'read-again'>>): void {
      mailbox.close();
      rereading = reading.then((outcome) => {
        if (outcome.error !== null) queue.clock.retry();
        mailbox.open(outcome);
        return outcome;
      });
    },
    whenSettled,
    /** Resolves as `whenSettled` does, once all its other callers were answered. */
    async whenAllSettled(): Promise<void> {
      await whenSettled();
      while (waiting.length > 0) await Promise.all(waiting);
    },
  };
}

/** The fork of a conflict, and the user messages whose turns it holds. */
type Fork = Pick<OutcomeOf<'read-again'>, 'forkedTo' | 'forkedTurns'>;

/** True when a fork may hold a turn: one that answers no message of its own, or whose message the fork holds. */
function holds({ forkedTurns }: Fork, before: readonly AgentState[], { id, status }: Turn): boolean {
  const isOfMessage = before.some((state) => placesIn(branchMessages(state)).has(id));
  return status !== 'queued' && (!isOfMessage || forkedTurns.includes(id));
}

/** True when the states contain the message of a turn and all of its answer. */
function isIn(lines: readonly AgentState[], before: readonly AgentState[], { id }: Turn): boolean {
  const said = before.map(branchMessages).find((messages) => placesIn(messages).has(id));
  if (said === undefined) return false;
  const from = placesIn(said).get(id) ?? 0;
  const next = said.findIndex((message, at) => at > from && isOfUser(message));
  const turn = said.slice(from, next < 0 ? said.length : next);
  return turn.every((message) => lines.some((other) => placesIn(branchMessages(other)).has(message.id)));
}
