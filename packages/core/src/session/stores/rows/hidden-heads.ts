import { tombstoneMs } from '../is-deleted.ts';
import { ownerOfOutbox, readOutbox } from './row-outbox.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import { readVacancy, type Vacancy } from './vacant-head.ts';

/** Heads that no list shows: vacancies by id, and outboxes by name. */
export type HiddenHeads = {
  readonly vacancies: readonly Vacancy[];
  readonly outboxes: ReadonlyMap<string, StoredHead>;
};

/** Splits heads into those of sessions and hidden ones. */
export function withoutHidden(heads: ReadonlyMap<string, StoredHead>): {
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
