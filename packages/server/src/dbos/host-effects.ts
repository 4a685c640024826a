import type { EffectRecords } from '@vitrine/core';
import type { SessionAddress } from '../host/session-host.ts';
import { assertNewest } from '../host/stored-rows.ts';
import type { HostDatabase } from './host-database.ts';

/** The records of the effects of a session. A run that was replaced begins none. */
export function effectRecords(
  { rows, change }: HostDatabase,
  address: SessionAddress,
  epoch: number,
): EffectRecords {
  const { owner, sessionId } = address;
  const columns = 'owner, session, execution, key';
  /** The recorded calls of the executions that this run has asked for, so that a new call costs no question. */
  const recorded = new Map<string, Promise<Set<string>>>();

  async function recordedKeys(executionId: string): Promise<Set<string>> {
    const sql =
      'SELECT key FROM vitrine_host_effects WHERE (owner, session, execution) = ($1, $2, $3) AND outcome IS NOT NULL';
    const found = await rows(sql, [owner, sessionId, executionId]);
    return new Set(found.map(({ key }) => String(key)));
  }

  function keysOf(executionId: string): Promise<Set<string>> {
    const known = recorded.get(executionId);
    if (known !== undefined) return known;
    const asked = recordedKeys(executionId);
    recorded.set(executionId, asked);
    // A failed question is asked again.
    asked.catch(() => recorded.delete(executionId));
    return asked;
  }

  return {
    async read(executionId, key) {
      if (!(await keysOf(executionId)).has(key)) return null;
      const sql = `SELECT outcome FROM vitrine_host_effects WHERE (${columns}) = ($1, $2, $3, $4)`;
      const outcome = (await rows(sql, [owner, sessionId, executionId, key]))[0]?.['outcome'];
      return typeof outcome === 'string' ? outcome : null;
    },
    begin: (executionId, key) =>
      change(address, async (inChange) => {
        const [found] = await inChange(
          `WITH newest AS (SELECT coalesce(max(epoch), 0) AS epoch FROM vitrine_host_epochs WHERE owner = $1 AND session = $2),
             begun AS (INSERT INTO vitrine_host_effects (${columns}) SELECT $1, $2, $3, $4 FROM newest WHERE epoch <= $5
               ON CONFLICT DO NOTHING RETURNING key)
           SELECT epoch, EXISTS (SELECT FROM begun) AS is_first FROM newest`,
          [owner, sessionId, executionId, key, epoch],
        );
        assertNewest(`The call ${key}`, epoch, Number(found?.['epoch']));
        const isFirst = found?.['is_first'] === true;
        // Another process began it, and may have recorded it since.
        if (!isFirst) recorded.delete(executionId);
        return isFirst;
      }),
    async end(executionId, key, outcome, effects) {
      // Set for this statement: an idempotent call does not wait for the disk of the database.
      const commit = effects === 'once' ? '' : `FROM set_config('synchronous_commit', 'off', true)`;
      const sql = `INSERT INTO vitrine_host_effects AS kept (${columns}, outcome)
        SELECT $1::text, $2::text, $3::text, $4::text, $5::text ${commit}
        ON CONFLICT (${columns}) DO UPDATE SET outcome = coalesce(kept.outcome, excluded.outcome)`;
      await rows(sql, [owner, sessionId, executionId, key, outcome]);
      (await recorded.get(executionId))?.add(key);
    },
    async forget(executionId) {
      recorded.delete(executionId);
      const sql = 'DELETE FROM vitrine_host_effects WHERE (owner, session, execution) = ($1, $2, $3)';
      await rows(sql, [owner, sessionId, executionId]);
    },
  };
}
