import type { AgentState } from '../graph/types.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import { isOfUser, branchMessages, placesIn, turnAt } from './branches/branch-messages.ts';
import type { OutcomeOf, SessionInput } from './machine/session-input.ts';
import type { SessionModel } from './machine/session-model.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { Turn } from './session-commands.ts';
import type { Membership } from './membership.ts';
import { of as errorInfo } from '../graph/error-info.ts';
import type { Env } from '../graph/env.ts';
import { isFinished } from '../graph/execution-state.ts';
import type { Message } from '../graph/message.ts';
import { section } from '../graph/message-store.ts';
import { forkEnd } from './machine/moves.ts';
import type { SessionEffect } from './machine/session-effect.ts';
import { liveMessages } from './machine/state-facts.ts';
import { endInterrupted } from './managing/end-interrupted.ts';
import type { SessionJournal } from './session-journal.ts';
import type { QueuedMessage } from './stores/queued-message.ts';
import type { SessionRecord } from './stores/session-store.ts';
import { toQueuedMessage } from './user-message.ts';

/** The outcome of writing all changes. */
export type Settled = {
  /** True when the store has them, in the session or in `forkedTo`. */
  readonly stored: boolean;
  /**
   * The id of the fork with unsaved answers, including those of the given turn, because another writer had
   * changed the stored session.
   */
  readonly forkedTo: string | null;
};

/** Loads the session that another writer has stored. */
export type TakeUp = {
  /** Makes inputs wait until the stored session is read, which then comes first. */
  readonly during: (reading: Promise<OutcomeOf<'read-again'>>) => void;
  /**
   * Resolves when all changes were written, or could not be, and a conflict is resolved. With a turn the outcome is that
   * of its messages.
   */
  readonly settled: (turn?: Turn | null) => Promise<Settled>;
  /** Resolves as `settled` does, once all its other callers were answered. */
  readonly allSettled: () => Promise<void>;
};

/** The number of conflicts in a row after which a session is reported as not stored. */
const maxAttempts = 8;

export function createTakeUp(session: {
  readonly mailbox: Mailbox<SessionInput>;
  readonly saver: Pick<SessionSaver, 'flush' | 'retry'>;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly tabs: Pick<Membership, 'kept'>;
}): TakeUp {
  const { mailbox, saver, tabs } = session;
  /** Resolves with the fork of the conflict in progress. */
  let takingUp: Promise<Fork> = Promise.resolve({ forkedTo: null, forkedTurns: [] });
  let waiting: readonly Promise<unknown>[] = [];

  const lines = (): readonly AgentState[] => [
    session.state,
    ...session.model.tree.branches.map((branch) => branch.state),
  ];

  async function settle(turn: Turn | null): Promise<Settled> {
    const before = lines();
    const isKept = await tabs.kept();
    let forkedTo: string | null = null;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const outcome = await saver.flush();
      const stored = session.model.hasStore && isKept && outcome === 'saved';
      if (outcome !== 'conflict') return { stored: stored || (turn !== null && forkedTo !== null), forkedTo };
      const fork = session.model.conflict?.phase === 'reading' ? await takingUp : null;
      // The first fork that a turn goes to has it; later ones hold other answers.
      if (turn === null) forkedTo = fork?.forkedTo ?? forkedTo;
      else if (fork !== null && holds(fork, before, turn) && !isIn(lines(), before, turn))
        forkedTo ??= fork.forkedTo;
      if ((session.model.conflict ?? null) !== null || session.model.phase !== 'open') break;
    }
    return { stored: turn !== null && forkedTo !== null, forkedTo };
  }

  function settled(turn: Turn | null = null): Promise<Settled> {
    const settling = settle(turn);
    waiting = [...waiting, settling];
    return settling.finally(() => (waiting = waiting.filter((entry) => entry !== settling)));
  }

  return {
    during(reading) {
      mailbox.close();
      takingUp = reading.then((outcome) => {
        if (outcome.error !== null) saver.retry();
        mailbox.open(outcome);
        return outcome;
      });
    },
    settled,
    async allSettled() {
      await settled();
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

/** The parts of a session that reading after a conflict needs. */
type Reading = {
  readonly env: Env;
  readonly saver: Pick<SessionSaver, 'load' | 'recover' | 'stored' | 'forked' | 'takenEpoch'>;
  readonly journal: Pick<SessionJournal, 'state'>;
  /** Saves a new session that begins with the first `end` messages of a state. */
  readonly fork: (state: AgentState, sessionId: string, end: number) => Promise<void>;
};

const unforked = { unsaved: [], forkedTo: null, forkedTurns: [] } as const;
/** The reason recorded for a run that another writer has overtaken. */
const ending = { message: 'Another page or device continued the session', source: 'session' };

/**
 * Reads the session that another writer has stored. Unsaved answers become a session of their own; with the
 * policy `fork`, so do the unsaved messages of the user. Never rejects.
 */
export async function readStored(
  session: Reading,
  { policy, forkId, isAborted }: Omit<Extract<SessionEffect, { readonly type: 'read-again' }>, 'type'>,
): Promise<OutcomeOf<'read-again'>> {
  const { env, saver, journal } = session;
  const draftBefore = saver.stored()?.head.draft ?? '';
  const told = { type: 'read-again', record: null, error: null, draftBefore, ...unforked } as const;
  try {
    const record = await saver.load();
    if (record === null) return told;
    // The store had not answered when the conflict was checked.
    if (!isAborted && saver.recover()) return { ...told, record, isOwn: true };
    const own = await endInterrupted(journal.state(), env, ending);
    const stored = [record.state, ...record.branches.map(({ state }) => state), ...lastStored(saver)];
    const unsaved = unsavedIn(own, stored);
    const isAnswer = ({ role }: Message): boolean => policy === 'fork' || role !== 'user';
    const last = unsaved.findLast(isAnswer);
    const isElsewhere = isRunElsewhere(record, own, saver.takenEpoch());
    if (last === undefined) return { ...told, record, isElsewhere, unsaved: queuedOf(unsaved) };
    await session.fork(own, forkId, forkEnd(own, { messageId: last.id }) ?? branchMessages(own).length);
    saver.forked(forkId);
    const forked = unsaved.slice(0, unsaved.indexOf(last) + 1);
    const forkedTurns = turnsOf(branchMessages(own), forked);
    const behind = queuedOf(unsaved.slice(unsaved.indexOf(last)));
    return { ...told, record, isElsewhere, unsaved: behind, forkedTo: forkId, forkedTurns };
  } catch (thrown) {
    return { ...told, error: errorInfo(thrown) };
  }
}

/** True when a run of a record goes on or begins, and it is not one that this session began under its own epoch. */
function isRunElsewhere(
  { state, queue, epoch = 0 }: SessionRecord,
  own: AgentState,
  takenEpoch: number,
): boolean {
  const { execution } = state;
  if (execution === null || isFinished(execution)) {
    const last = branchMessages(state).at(-1);
    const isBegun = queue.some(({ id }) => id === last?.id);
    return isBegun && (epoch !== takenEpoch || !placesIn(branchMessages(own)).has(last?.id ?? ''));
  }
  if (execution.waitingSince !== null) return false;
  return epoch !== takenEpoch || own.execution?.executionId !== execution.executionId;
}

/** Returns the ids of the user messages that the messages in `of` are or answer. */
function turnsOf(messages: readonly Message[], of: readonly Message[]): readonly string[] {
  const places = placesIn(messages);
  return of.flatMap(({ id }) => messages[turnAt(messages, places.get(id) ?? -1)]?.id ?? []);
}

function lastStored(saver: Pick<SessionSaver, 'stored'>): readonly AgentState[] {
  const known = saver.stored();
  return known === null ? [] : [known.state];
}

/** Messages of the branch whose content no stored state has. */
function unsavedIn(own: AgentState, stored: readonly AgentState[]): readonly Message[] {
  const known = new Map<string, Set<string>>();
  for (const message of stored.flatMap((state) => [...branchMessages(state), ...liveMessages(state)])) {
    const said = known.get(message.id) ?? new Set();
    known.set(message.id, said.add(contentOf(message)));
  }
  const outcomes = new Set(stored.flatMap(resultsIn));
  return section(own.context.store).filter((message) => {
    if (message.parts.length === 0) return false;
    if (message.role === 'tool') return resultsOf(message).some((result) => !outcomes.has(result));
    return known.get(message.id)?.has(contentOf(message)) !== true;
  });
}

const contentOf = ({ parts }: Message): string => JSON.stringify(parts);

/** The ids of calls with a result of a tool that ran. Calls that were broken off do not count. */
function resultsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) =>
    part.type === 'tool-result' && !brokenOff.has(part.outcome ?? '') ? [part.toolCallId] : [],
  );
}
const brokenOff: ReadonlySet<string> = new Set(['interrupted', 'stopped', 'rejected', 'blocked']);

function resultsIn(state: AgentState): readonly string[] {
  const ended = (state.execution?.currentStep?.toolExecutions ?? []).flatMap(({ id, status }) =>
    status === 'completed' || status === 'failed' ? [id] : [],
  );
  return [...branchMessages(state).flatMap(resultsOf), ...ended];
}

function queuedOf(messages: readonly Message[]): readonly QueuedMessage[] {
  return messages.filter(({ role }) => role === 'user').map(toQueuedMessage);
}
