import type { JournalRecord } from './journal-record.ts';
import { stateAt } from './state-at.ts';

/**
 * The record after the event at an index of `eventsOf(record)`; -1 is before the first. The last index gives the
 * record itself.
 */
export function recordAt(record: JournalRecord, index: number): JournalRecord {
  let left = Math.max(-1, index) + 1;
  const pages = [];
  for (const page of record.pages) {
    const isWhole = left >= page.events.length;
    pages.push(isWhole ? page : { ...page, events: page.events.slice(0, left) });
    left -= page.events.length;
    if (left < 0 || (left === 0 && page !== record.pages.at(-1))) break;
  }
  const isAll = pages.length === record.pages.length && pages.at(-1) === record.pages.at(-1);
  return isAll ? record : { ...record, pages, state: stateAt(record, index) };
}
