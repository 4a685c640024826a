import type { EffectRecords } from '@vitrine/core';
import type { SessionAddress } from '../host/session-host.ts';
import { assertNewest } from '../host/stored-rows.ts';
import { type HostTables, newestEpoch } from './host-tables.ts';

/** The records of the effects of a session. A run that was replaced begins none. */
export function effectRecords(
  tables: () => HostTables,
  { owner, sessionId }: SessionAddress,
  epoch: number,
): EffectRecords {
  const columns = 'owner, session, execution, key';
  const values = (executionId: string, key: string): [string, string, string, string] => [
    owner,
    sessionId,
    executionId,
    key,
  ];
  return {
    async read(executionId, key) {
      const sql = `SELECT outcome FROM host_effects WHERE (${columns}) = (?, ?, ?, ?)`;
      const outcome = tables().all(sql, ...values(executionId, key))[0]?.['outcome'];
      return typeof outcome === 'string' ? outcome : null;
    },
    async begin(executionId, key) {
      const [found = [], begun = []] = await tables().change([
        { sql: `SELECT ${newestEpoch} AS epoch`, values: [owner, sessionId] },
        {
          sql: `INSERT INTO host_effects (${columns}) SELECT ?1, ?2, ?3, ?4 WHERE ${newestEpoch} <= ?5
            ON CONFLICT DO NOTHING RETURNING 1`,
          values: [...values(executionId, key), epoch],
        },
      ]);
      assertNewest(`The call ${key}`, epoch, Number(found[0]?.['epoch']));
      return begun.length === 1;
    },
    async end(executionId, key, outcome, effects) {
      const sql = `INSERT INTO host_effects (${columns}, outcome) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET outcome = coalesce(outcome, excluded.outcome)`;
      const statement = { sql, values: [...values(executionId, key), outcome] };
      // The journal syncs what follows from it, and most of the time of a step was this wait.
      await tables().change([statement], { isSynced: effects === 'once' });
    },
    async forget(executionId) {
      const sql = 'DELETE FROM host_effects WHERE (owner, session, execution) = (?, ?, ?)';
      await tables().change([{ sql, values: [owner, sessionId, executionId] }]);
    },
  };
}
