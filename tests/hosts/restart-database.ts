import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findProgram } from '../servers/test-server.ts';
import type { HostFleet } from './host-fleet.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Restarts the PostgreSQL of a fleet some times; it is away for up to two seconds each time. */
export async function restartDatabase(
  { database }: HostFleet,
  restarts: number,
  random: SeededRandom,
): Promise<void> {
  if (database === null) throw new Error('This fleet has no database.');
  const folder = await folderOf(database.url);
  for (let i = 0; i < restarts; i++) {
    await sleep(1500 + random.below(1500));
    control(folder, ['stop', '-m', i % 2 === 0 ? 'fast' : 'immediate']);
    await sleep(random.below(2000));
    control(folder, ['start', '-l', `${folder}/restarted.log`]);
  }
}

/** Ends a PostgreSQL that was started again, which nobody else would. */
export async function stopDatabase({ database }: HostFleet): Promise<void> {
  if (database !== null) control(await folderOf(database.url), ['stop', '-m', 'immediate']);
}

async function folderOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT current_setting('data_directory') AS folder");
  await client.end();
  return String(rows[0].folder);
}

function control(folder: string, command: readonly string[]): void {
  const { uid, gid } = statSync(folder);
  // The options of its first start.
  const options = readFileSync(`${folder}/postmaster.opts`, 'utf8')
    .trim()
    .split(' ')
    .slice(1)
    .join(' ')
    .replaceAll('"', "'");
  const path = findProgram('pg_ctl', 'postgresql') ?? 'pg_ctl';
  const own = command[0] === 'start' ? ['-o', options] : [];
  execFileSync(path, [...command, '-D', folder, '-w', ...own], { uid, gid, cwd: folder, stdio: 'ignore' });
}
