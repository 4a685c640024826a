import { holdsText, listSessions } from './list-sessions.ts';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type {
  SessionList,
  SessionQuery,
  SessionSummary,
} from '@vitrine/core/internal/session/store/session-store';
import { openSession } from './session-bases.ts';
import { createRowBook } from './encode-session.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import { type Vacancy, listedHead, readOutbox, readVacancy } from './head-shape.ts';
import { ownerOfOutbox } from './rows-by-id.ts';
import { unreadable } from './store-errors.ts';
import { tombstoneMs } from '@vitrine/core/internal/session/store/is-deleted';

/** Sessions that a load could not read although their head is valid, by id. */
export type FoundUnreadable = Map<string, { readonly head: string; readonly status: 'broken' | 'newer' }>;

/** Lists sessions from their heads. Bodies are read only for a search. */
export async function listRows(
  storage: RowStorage,
  found: FoundUnreadable,
  query: SessionQuery = {},
  onAll: (all: readonly SessionSummary[], hidden: HiddenHeads) => void = () => undefined,
): Promise<SessionList> {
  const heads = await headsOf(storage, query.id).catch((thrown: unknown) => {
    throw unreadable(query.id ?? '*', thrown);
  });
  const { sessions, hidden } = withoutHidden(heads);
  const all = sessions.map(([id, head]) => {
    const unread = found.get(id);
    return listedHead(id, head, unread?.head === head.text ? unread.status : null);
  });
  if (query.id === undefined) onAll(all, hidden);
  const { search } = query;
  if (search === undefined) return listSessions(all, query);
  const { limit: _limit, cursor: _cursor, search: _search, ...filters } = query;
  const matching: SessionSummary[] = [];
  for (const summary of listSessions(all, filters).sessions)
    if (await matchesSearch(storage, summary, search)) matching.push(summary);
  return listSessions(matching, query);
}

async function headsOf(
  storage: RowStorage,
  id: string | undefined,
): Promise<ReadonlyMap<string, StoredHead>> {
  if (id === undefined) return storage.heads();
  const head = await storage.head(id);
  return new Map(head === null ? [] : [[id, head]]);
}

async function matchesSearch(
  storage: RowStorage,
  { id, title }: SessionSummary,
  search: string,
): Promise<boolean> {
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

/** Heads that no list shows: vacancies by id, and outboxes by name. */
export type HiddenHeads = {
  readonly vacancies: readonly Vacancy[];
  readonly outboxes: ReadonlyMap<string, StoredHead>;
};

function withoutHidden(heads: ReadonlyMap<string, StoredHead>): {
  readonly sessions: readonly (readonly [id: string, stored: StoredHead])[];
  readonly hidden: HiddenHeads;
} {
  const vacancies: Vacancy[] = [];
  const outboxes = new Map<string, StoredHead>();
  const sessions = [...heads].filter(([id, stored]) => {
    if (ownerOfOutbox(id) !== null) {
      outboxes.set(id, stored);
      return false;
    }
    const vacancy = vacancyOf(id, stored);
    if (vacancy !== null) vacancies.push(vacancy);
    return vacancy === null;
  });
  return { sessions, hidden: { vacancies, outboxes } };
}

/** Erases hidden heads after 30 days, and outboxes of removed sessions. Never rejects. */
export async function sweepHidden(
  storage: RowStorage,
  { vacancies, outboxes }: HiddenHeads,
  now: number,
): Promise<void> {
  const isOld = (at: number): boolean => at + tombstoneMs <= now;
  const removed = new Set(vacancies.flatMap(({ id, removedAt }) => (removedAt === null ? [] : [id])));
  const old = vacancies.filter(({ at }) => isOld(at)).map(({ id, stored }) => [id, stored] as const);
  const left = [...outboxes].filter(
    ([name, stored]) => removed.has(ownerOfOutbox(name) ?? '') || isOld(timeOfOutbox(name, stored)),
  );
  // A failed removal is repeated at the next opening; a head that changed since stays.
  for (const [id, stored] of [...old, ...left]) await storage.remove(id, stored).catch(() => undefined);
}

/** Returns the vacancy of a head. A damaged head is listed as an unreadable session instead. */
function vacancyOf(id: string, stored: StoredHead): Vacancy | null {
  try {
    return readVacancy(id, stored);
  } catch {
    return null;
  }
}

/** Returns the time of the last change of an outbox. An unreadable one stays until its session is removed. */
function timeOfOutbox(name: string, stored: StoredHead): number {
  try {
    return readOutbox(name, stored).at;
  } catch {
    return Infinity;
  }
}
