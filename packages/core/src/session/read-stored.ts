import { errorInfo } from '../graph/error-info.ts';
import type { Env } from '../graph/env.ts';
import { section } from '../graph/sections.ts';
import type { AgentState } from '../graph/types.ts';
import { forkEnd } from './fork-end.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { OutcomeOf } from './session-input.ts';
import type { SessionJournal } from './session-journal.ts';
import { placesIn, line } from './line.ts';
import type { SessionRecord } from './stores/session-store.ts';

/** What a session brings along to have what is stored read again. */
type Reading = {
  readonly env: Env;
  readonly saver: SessionSaver;
  readonly journal: SessionJournal;
  /** Saves a session of its own that begins with so many messages. */
  readonly fork: (sessionId: string, end: number) => Promise<void>;
};

/**
 * What is stored has won. What the person said and nobody saved is told with it; answers that nobody saved belong to
 * another history, and become a session of their own. Never rejects.
 */
export async function readStored(
  { env, saver, journal, fork }: Reading,
  runId: string,
): Promise<OutcomeOf<'read-again'>> {
  const own = journal.state();
  const unsaved = saver.unsaved(own);
  const told = { type: 'read-again', runId, record: null, error: null, unsaved: [] } as const;
  try {
    const record = await saver.load();
    if (record === null) return told;
    const end = endOfAnswers(own, record);
    if (end > 0) {
      const id = env.id();
      await fork(id, end);
      saver.forked(id);
    }
    const known = placesIn(line(record.state));
    return { ...told, record, unsaved: unsaved.filter(({ id }) => !known.has(id)) };
  } catch (thrown) {
    return { ...told, error: errorInfo(thrown) };
  }
}

/** Where the last answer ends that was made here and stands in no stored line; 0 when there is none. */
function endOfAnswers(own: AgentState, { state, branches }: SessionRecord): number {
  const lines = [state, ...branches.map((branch) => branch.state)].map((other) => placesIn(line(other)));
  const unknown = section(own.context.store).findLast(
    ({ id, role }) => role === 'assistant' && !lines.some((places) => places.has(id)),
  );
  return unknown === undefined ? 0 : (forkEnd(own, { messageId: unknown.id }) ?? 0);
}
