import { holdsText, listSessions } from '../list-sessions.ts';
import { liveRecord } from '../live-record.ts';
import type { SessionList, SessionQuery, SessionSummary } from '../session-store.ts';
import { type HiddenHeads, withoutHidden } from './hidden-heads.ts';
import { openSession } from './open-session.ts';
import { createRowBook } from './encode-session.ts';
import type { RowStorage } from './row-storage.ts';
import { listedHead } from './read-head.ts';
import { unreadable } from './store-errors.ts';

/** Sessions that a load could not read although their head is valid, by id. */
export type FoundUnreadable = Map<string, { readonly head: string; readonly status: 'broken' | 'newer' }>;

/** Lists sessions from their heads. Bodies are read only for a search. */
export async function listRows(
  storage: RowStorage,
  found: FoundUnreadable,
  query: SessionQuery = {},
  onAll: (all: readonly SessionSummary[], hidden: HiddenHeads) => void = () => undefined,
): Promise<SessionList> {
  const heads = await storage.heads().catch((thrown: unknown) => {
    throw unreadable('*', thrown);
  });
  const { sessions, hidden } = withoutHidden(heads);
  const all = sessions.map(([id, head]) => {
    const unread = found.get(id);
    return listedHead(id, head, unread?.head === head.text ? unread.status : null);
  });
  onAll(all, hidden);
  const { search } = query;
  if (search === undefined) return listSessions(all, query);
  const { limit: _limit, cursor: _cursor, search: _search, ...filters } = query;
  const matching: SessionSummary[] = [];
  for (const summary of listSessions(all, filters).sessions)
    if (await isFound(storage, summary, search)) matching.push(summary);
  return listSessions(matching, query);
}

async function isFound(storage: RowStorage, { id, title }: SessionSummary, search: string): Promise<boolean> {
  try {
    const stored = await storage.read(id);
    if (stored === null) return false;
    // A book of its own, so that the rows of a searched session are not kept.
    return holdsText(title, liveRecord(openSession(id, stored, createRowBook()).record).state, search);
  } catch {
    // The body cannot be read, so only the title is searched.
    return title.toLowerCase().includes(search.toLowerCase());
  }
}
