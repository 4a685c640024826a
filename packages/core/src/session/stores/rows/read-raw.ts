import type { RawSession } from '../session-store.ts';
import type { RowStorage } from './row-storage.ts';
import { isVacant } from './is-vacant.ts';

/** Resolves with all texts of a session, damaged or not; null when there is none. */
export async function readRaw(id: string, storage: RowStorage): Promise<RawSession | null> {
  const stored = await storage.read(id);
  if (stored === null || isVacant(stored.text)) return null;
  const { text: head, rows, tail } = stored;
  // Archived rows are read by name only.
  const named = [...rows.values()].flatMap((text) => text.match(/\brun\.[\w-]+/g) ?? []);
  const archived = await storage.rows(id, [...new Set(named)]);
  return { head, rows: Object.fromEntries([...rows, ...archived]), tail };
}
