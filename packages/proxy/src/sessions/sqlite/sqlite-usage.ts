import type { OwnerLimits } from '../row-pages.ts';
import { SessionQuotaError } from '../session-quota.ts';
import type { SqliteQueries } from './open-sqlite.ts';

/** The change of an owner's stored data by a write. */
export type UsageChange = { readonly sessions: number; readonly bytes: number };

/**
 * Counts a change in its transaction.
 * @throws SessionQuotaError when it keeps more than before and more than the limits allow.
 */
export function countUsage(
  { all }: SqliteQueries,
  owner: string,
  { sessions, bytes }: UsageChange,
  limits: OwnerLimits | null,
): void {
  const sql =
    'INSERT INTO usage (owner, sessions, bytes) VALUES (?1, max(0, ?2), max(0, ?3)) ON CONFLICT DO UPDATE SET sessions = max(0, sessions + ?2), bytes = max(0, bytes + ?3) RETURNING sessions, bytes';
  const [now] = all(sql, owner, sessions, bytes);
  if (limits === null) return;
  if (sessions > 0 && Number(now?.['sessions']) > limits.sessions) throw new SessionQuotaError('sessions');
  if (bytes > 0 && Number(now?.['bytes']) > limits.bytes) throw new SessionQuotaError('bytes');
}
