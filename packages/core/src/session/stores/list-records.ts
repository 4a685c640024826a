import { holdsText, listSessions } from './list-sessions.ts';
import { liveRecord } from './live-record.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';
import { summaryOf } from './summary-of.ts';

type Query = NonNullable<Parameters<SessionStore['list']>[0]>;

/** What a store lists of the records that it holds whole. */
export function listRecords(
  records: readonly SessionRecord[],
  query: Query,
): ReturnType<typeof listSessions> {
  const { search } = query;
  const found = records.filter(
    (record) => search === undefined || holdsText(record.title, liveRecord(record).state, search),
  );
  return listSessions(
    found.map((record) => summaryOf(record)),
    query,
  );
}
