import { of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import { isFinished } from '@vitrine/core/internal/graph/execution-state';
import type { Message } from '@vitrine/core/internal/graph/message';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { branchMessages, placesIn, turnAt } from '@vitrine/core/internal/session/branches/branch-messages';
import { forkEnd } from '@vitrine/core/internal/session/machine/moves';
import type { SessionEffect } from '@vitrine/core/internal/session/machine/session-effect';
import type { OutcomeOf } from '@vitrine/core/internal/session/machine/session-input';
import { liveMessages } from '@vitrine/core/internal/session/machine/state-facts';
import { awaitStore } from '../writer/save-queue.ts';
import { endInterrupted } from '../manage/end-interrupted.ts';
import type { SessionSaver } from '../writer/session-saver.ts';
import type { AttachedSession } from '@vitrine/core/internal/session/persistence';
import type { QueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import { toQueuedMessage } from '@vitrine/core/internal/session/running/user-message';

const unforked = { unsaved: [], forkedTo: null, forkedTurns: [] } as const;
/** The reason recorded for a run that another writer has overtaken. */
const ending = { message: 'Another page or device continued the session', source: 'session' };

/**
 * Reads the session that another writer has stored. Unsaved answers become a session of their own; with the
 * policy `fork`, so do the unsaved messages of the user. Never rejects.
 */
export async function rereadStored(
  session: Pick<AttachedSession, 'env' | 'state' | 'fork'>,
  saver: Pick<SessionSaver, 'load' | 'recoverOwnWrite' | 'latest' | 'noteFork' | 'epochs'>,
  { policy, forkId, isAborted }: Omit<Extract<SessionEffect, { readonly type: 'read-again' }>, 'type'>,
): Promise<OutcomeOf<'read-again'>> {
  const { env } = session;
  const draftBefore = saver.latest()?.head.draft ?? '';
  const outcome = { type: 'read-again', record: null, error: null, draftBefore, ...unforked } as const;
  try {
    const { takenEpoch, knownEpoch } = saver.epochs();
    const record = await awaitStore(env, saver.load());
    if (record === null) return outcome;
    // The store had not answered when the conflict was checked.
    if (!isAborted && saver.recoverOwnWrite()) return { ...outcome, record, isOwn: true };
    const own = await endInterrupted(session.state, env, ending);
    const stored = [record.state, ...record.branches.map(({ state }) => state), ...lastStored(saver)];
    const unsaved = unsavedIn(own, stored);
    const isAnswer = ({ role }: Message): boolean => policy === 'fork' || role !== 'user';
    const last = unsaved.findLast(isAnswer);
    const isElsewhere = isRunElsewhere(record, own, takenEpoch);
    const found = { ...outcome, record, isElsewhere, isFresh: isElsewhere && isFreshRun(record, knownEpoch) };
    if (last === undefined) return { ...found, unsaved: queuedOf(unsaved) };
    const end = forkEnd(own, { messageId: last.id }) ?? branchMessages(own).length;
    await awaitStore(env, session.fork(own, forkId, end));
    saver.noteFork(forkId);
    const forked = unsaved.slice(0, unsaved.indexOf(last) + 1);
    const forkedTurns = turnsOf(branchMessages(own), forked);
    const behind = queuedOf(unsaved.slice(unsaved.indexOf(last)));
    return { ...found, unsaved: behind, forkedTo: forkId, forkedTurns };
  } catch (thrown) {
    return { ...outcome, error: errorInfo(thrown) };
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

/**
 * True when the writer of a run took its epoch behind the last read of this session, and its model has not answered yet:
 * two devices have sent at the same time, and the first one to take an epoch goes on.
 */
function isFreshRun({ state: { execution }, epoch = 0 }: SessionRecord, knownEpoch: number): boolean {
  if (epoch <= knownEpoch) return false;
  if (execution === null || isFinished(execution)) return true;
  return execution.stepExecutions.length === 0 && (execution.currentStep?.toolExecutions.length ?? 0) === 0;
}

/** Returns the ids of the user messages that the messages in `of` are or answer. */
function turnsOf(messages: readonly Message[], of: readonly Message[]): readonly string[] {
  const places = placesIn(messages);
  return of.flatMap(({ id }) => messages[turnAt(messages, places.get(id) ?? -1)]?.id ?? []);
}

function lastStored(saver: Pick<SessionSaver, 'latest'>): readonly AgentState[] {
  const known = saver.latest();
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
