import { errorInfo } from '../graph/error-info.ts';
import type { Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import { section } from '../graph/sections.ts';
import type { AgentState } from '../graph/types.ts';
import type { SessionSettings } from './agent-session.ts';
import { forkEnd } from './machine/fork-end.ts';
import { asksForPolicy } from './machine/refusals.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { OutcomeOf } from './machine/session-input.ts';
import type { SessionJournal } from './session-journal.ts';
import { placesIn, line } from './branches/line.ts';
import type { SessionRecord } from './stores/session-store.ts';

/** What a session brings along to have what is stored read again. */
type Reading = {
  readonly env: Env;
  readonly settings: () => Pick<SessionSettings, 'onConflict'>;
  readonly saver: SessionSaver;
  readonly journal: SessionJournal;
  /** Saves a session of its own that begins with so many messages. */
  readonly fork: (sessionId: string, end: number) => Promise<void>;
};

/**
 * What is stored has won. What the person said and nobody saved is told with it; answers that nobody saved belong to
 * another history, and become a session of their own, by `onConflict: 'fork'` with what was said. With `'ask'` nothing is
 * read. Never rejects.
 */
export async function readStored(
  { env, settings, saver, journal, fork }: Reading,
  runId: string,
): Promise<OutcomeOf<'read-again'>> {
  const { onConflict = 'rebase' } = settings();
  const own = journal.state();
  const unsaved = saver.unsaved(own);
  const told = { type: 'read-again', runId, record: null, error: null, unsaved: [] } as const;
  if (onConflict === 'ask') return { ...told, error: asksForPolicy() };
  const isForking = onConflict === 'fork';
  try {
    const record = await saver.load();
    if (record === null) return told;
    const end = endOfUnknown(
      own,
      record,
      ({ role }) => role === 'assistant' || (isForking && role === 'user'),
    );
    if (end > 0) {
      const id = env.id();
      await fork(id, end);
      saver.forked(id);
      if (isForking) return { ...told, record, isForked: true };
    }
    const known = placesIn(line(record.state));
    return { ...told, record, unsaved: unsaved.filter(({ id }) => !known.has(id)) };
  } catch (thrown) {
    return { ...told, error: errorInfo(thrown) };
  }
}

/** Where the last message ends, of those that are meant, that stands in no stored line; 0 when there is none. */
function endOfUnknown(
  own: AgentState,
  { state, branches }: SessionRecord,
  isMeant: (message: Message) => boolean,
): number {
  const lines = [state, ...branches.map((branch) => branch.state)].map((other) => placesIn(line(other)));
  const unknown = section(own.context.store).findLast(
    (message) => isMeant(message) && !lines.some((places) => places.has(message.id)),
  );
  return unknown === undefined ? 0 : (forkEnd(own, { messageId: unknown.id }) ?? 0);
}
