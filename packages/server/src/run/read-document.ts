import {
  type AgentDefinition,
  AgentState,
  ErrorInfo,
  isAgentError,
  loadedSession,
  type SessionRecord,
  type SessionStore,
  systemEnv,
} from '@vitrine/core';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { stateChanges } from '@vitrine/core/internal/run/state-changes';
import { firstPersistence } from '@vitrine/core/internal/session/agent-session';
import { titleOf } from '@vitrine/core/internal/session/conversation/session-title';
import { advance, reduce } from '@vitrine/core/internal/session/machine/machine';
import { emptyModel } from '@vitrine/core/internal/session/machine/session-model';
import { blankState } from '@vitrine/core/internal/session/publishing/snapshot';
import type { SessionLoad } from '@vitrine/persist';
import { viewOf } from '@vitrine/persist/internal/link/leader';
import type { LinkPosition } from '@vitrine/persist/internal/link/link-json';
import { foldedOf, readRecord } from '@vitrine/persist/internal/writer/plan-write';
import type { BusPlace, StoredAt } from './bus-message.ts';
import { type RunnerMessage, runnerText, storedBehind } from './runner-link.ts';

/**
 * Reads what a follower lacks of a session that nobody runs here: the records behind its cursor, or all. With `isAwake`
 * an open run goes on soon. @throws AgentError `session-storage` when the store cannot answer
 */
export async function readMissing(
  agent: AgentDefinition,
  sessionId: string,
  sessions: SessionStore,
  { have, isAwake }: Pick<LinkPosition, 'have'> & { readonly isAwake: boolean },
) {
  const { load, record, error } = await readStored(sessions, sessionId);
  const { model, state, preview, isBegun } = openStored(record, error);
  const isOpen = AgentState.status(state) === 'in-progress';
  const isRemoved = load?.kind === 'absent' && load.removedAt !== null;
  const { journal, title = '', taken = [] } = record ?? {};
  const at = journal && isBegun ? { journalId: journal.id, record: journal.records } : null;
  const stored = at && { ...at, n: 0 };
  const status = error !== null ? 'degraded' : record !== null ? 'saved' : 'idle';
  const persistence = { ...firstPersistence(sessions), status, error } as const;
  const shown = { shownTitle: isBegun ? title || titleOf(state) : '', persistence, stored, taken };
  const phase = isRemoved ? 'deleted' : model.phase;
  const view = viewOf({ ...model, phase, goesOn: model.goesOn || (isOpen && isAwake) }, agent, shown);
  const behind = at && have && storedBehind(load, have);
  const document = { journalId: at?.journalId ?? '', earlier: [], state, tree: model.tree };
  const place = { to: '', term: 0, n: 0 };
  const told: RunnerMessage =
    behind === null
      ? { type: 'document', ...place, at: preview.length > 0 ? null : at, document, view }
      : // The follower has read the commands in the store.
        { type: 'records', ...place, ...behind, preview, view: { ...view, taken: [] } };
  return {
    version: load?.kind === 'there' ? load.session.version : 0,
    isOpen,
    /** True for a session that was deleted and erased. */
    isRemoved,
    /** The stored place; null for a session that is not stored. */
    stored: told.at && (stored satisfies StoredAt | null),
    /** Writes the message that the follower lacks, as if a runner of an epoch had sent it. */
    textAt: ({ epoch, n }: BusPlace, inspects: boolean): string =>
      runnerText({ ...told, n }, epoch, inspects),
  };
}

/** Reads a session with its tail folded in. One that cannot be read has the reason in place of a record. */
async function readStored(sessions: SessionStore, sessionId: string) {
  let load: SessionLoad | null = null;
  try {
    load = await sessions.load(sessionId);
    const found = loadedSession(load);
    return { load, record: found && foldedOf(readRecord(found)), error: null };
  } catch (thrown) {
    if (isAgentError(thrown, 'session-storage')) throw thrown;
    return { load, record: null, error: ErrorInfo.of(thrown) };
  }
}

/** A session as one shows it that has just read it, with the changes that this makes. */
function openStored(record: SessionRecord | null, error: ErrorInfo | null) {
  const opened = { type: 'opened', record, error, resume: false, commandId: null } as const;
  const { model, effects } = reduce({ ...emptyModel, hasStore: true }, opened, blankState, null);
  const begun = effects.find((effect) => effect.type === 'new-journal');
  const journal = createJournal(begun?.base ?? blankState);
  const preview = effects.flatMap((effect) => {
    if (effect.type !== 'take-back-message') return [];
    const before = journal.state();
    const kept = AgentState.messages(before).filter(({ id }) => id !== effect.id);
    const after = AgentState.withMessages(before, kept, systemEnv);
    return stateChanges(before, after, 'user').flatMap((body) => journal.commit([], body) ?? []);
  });
  const state = journal.state();
  return { model: advance(model, state).model, state, preview, isBegun: begun !== undefined };
}
