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
import { type QueuedMessage, toQueuedMessage } from '@vitrine/core/internal/session/store/queued-message';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';

const unforked = { unsaved: [], forkedTo: null, forkedTurns: [] } as const;
/** The reason recorded for a run that another writer has overtaken. */
const ending = { message: 'Another page or device continued the session', source: 'session' };

/**
 * Reads the session that another writer has stored. Unsaved answers become a session of their own; with the
 * policy `fork`, so do the unsaved messages of the user. Never rejects.
 */
export async function rereadStored(
  session: Pick<AttachedSession, 'env' | 'state' | 'fork'>,
  saver: SessionSaver,
  { policy, forkId, isAborted }: Omit<Extract<SessionEffect, { readonly type: 'read-again' }>, 'type'>,
): Promise<OutcomeOf<'read-again'>> {
  const { env } = session;
  const draftBefore = saver.writer.latest?.head.draft ?? '';
  const outcome = { type: 'read-again', record: null, error: null, draftBefore, ...unforked } as const;
  try {
    const { taken: takenEpoch, known: knownEpoch } = saver.writer.epoch;
    const known = saver.writer.latest?.state ?? null;
    const record = await awaitStore(env, saver.load());
    if (record === null) return outcome;
    // The store had not answered when the conflict was checked.
    if (!isAborted && saver.recoverOwnWrite()) return { ...outcome, record, isOwn: true };
    const own = await endInterrupted(session.state, env, ending);
    const stored = [
      record.state,
      ...record.branches.map(({ state }) => state),
      ...(saver.writer.latest === null ? [] : [saver.writer.latest.state]),
    ];
    const unsaved = unsavedIn(own, stored);
    const isAnswer = ({ role }: Message): boolean => policy === 'fork' || role !== 'user';
    const last = unsaved.findLast(isAnswer);
    const isElsewhere = isRunElsewhere(record, own, takenEpoch);
    const found = {
      ...outcome,
      record,
      isElsewhere,
      isFresh: isElsewhere && isFreshRun(record, knownEpoch, known),
    };
    if (last === undefined) return { ...found, unsaved: queuedOf(unsaved) };
    const end = forkEnd(own, { messageId: last.id }) ?? branchMessages(own).length;
    await awaitStore(env, session.fork(own, forkId, end));
    saver.queue.noteFork(forkId);
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
 * True when this session knew nothing of a run before it read the record, and the model has not answered yet: two devices
 * have sent at the same time, and the first one to take an epoch goes on. A read between the epoch of a run and its first
 * write knows the epoch and not the run.
 */
function isFreshRun(
  { state, epoch = 0 }: SessionRecord,
  knownEpoch: number,
  known: AgentState | null,
): boolean {
  if (epoch <= knownEpoch && known !== null && isSameRun(state, known)) return false;
  const { execution } = state;
  if (execution === null || isFinished(execution)) return true;
  return execution.stepExecutions.length === 0 && (execution.currentStep?.toolExecutions.length ?? 0) === 0;
}

/** True when two states have the same run, or the same message that one is about to answer. */
function isSameRun(state: AgentState, other: AgentState): boolean {
  return (
    state.execution?.executionId === other.execution?.executionId &&
    branchMessages(state).at(-1)?.id === branchMessages(other).at(-1)?.id
  );
}

/** Returns the ids of the user messages that some of the messages are or answer. */
function turnsOf(messages: readonly Message[], some: readonly Message[]): readonly string[] {
  const places = placesIn(messages);
  return some.flatMap(({ id }) => messages[turnAt(messages, places.get(id) ?? -1)]?.id ?? []);
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
