import type { EffectLog } from '@vitrine/core';
import { effectLog, type EffectRecords } from '@vitrine/core/stores';
import type { SessionAddress } from '../host/session-host.ts';
import { assertNewest } from '../host/stored-rows.ts';
import type { HostDatabase } from './host-database.ts';
import { newestEpoch } from './host-rows.ts';

/** The effect log of a session, for the run of one epoch. */
export function postgresEffects(database: HostDatabase, address: SessionAddress, epoch: number): EffectLog {
  return effectLog(effectRecords(database, address, epoch));
}

/** The records of the effects of a session. A run that was replaced begins none. */
export function effectRecords(
  { rows, change }: HostDatabase,
  address: SessionAddress,
  epoch: number,
): EffectRecords {
  const { owner, sessionId } = address;
  const columns = 'owner, session, execution, key';
  return {
    async read(executionId, key) {
      const sql = `SELECT outcome FROM vitrine_host_effects WHERE (${columns}) = ($1, $2, $3, $4)`;
      const outcome = (await rows(sql, [owner, sessionId, executionId, key]))[0]?.['outcome'];
      return typeof outcome === 'string' ? outcome : null;
    },
    begin: (executionId, key) =>
      change(address, async (inChange) => {
        const newest = await newestEpoch(inChange, address);
        assertNewest(`The call ${key}`, epoch, newest);
        const sql = `INSERT INTO vitrine_host_effects (${columns}) VALUES ($1, $2, $3, $4)
          ON CONFLICT DO NOTHING RETURNING key`;
        return (await inChange(sql, [owner, sessionId, executionId, key])).length === 1;
      }),
    async end(executionId, key, outcome) {
      const sql = `INSERT INTO vitrine_host_effects AS kept (${columns}, outcome) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (${columns}) DO UPDATE SET outcome = coalesce(kept.outcome, excluded.outcome)`;
      await rows(sql, [owner, sessionId, executionId, key, outcome]);
    },
    async forget(executionId) {
      const sql = 'DELETE FROM vitrine_host_effects WHERE (owner, session, execution) = ($1, $2, $3)';
      await rows(sql, [owner, sessionId, executionId]);
    },
  };
}
