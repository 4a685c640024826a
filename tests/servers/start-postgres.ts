import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, sayMissing, serverOf, type TestServer, untilReady } from './test-server.ts';

type Owner = { readonly uid: number; readonly gid: number };

/**
 * A PostgreSQL of its own with the empty database `postgres`, in a temporary folder, without waiting for the disk;
 * null, said loudly, where there is none to start.
 */
export async function startPostgres(): Promise<TestServer | null> {
  const initdb = findProgram('initdb', 'postgresql');
  const postgres = findProgram('postgres', 'postgresql');
  if (initdb === null || postgres === null) return sayMissing('PostgreSQL', 'postgresql');
  const owner = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-postgres-'));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync(initdb, ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off', `unix_socket_directories=${folder}`];
  const child = spawn(
    postgres,
    ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])],
    { ...owner, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const probe = findProgram('pg_isready', 'postgresql') ?? 'pg_isready';
  await untilReady(child, () => spawnSync(probe, ['-q', '-h', '127.0.0.1', '-p', `${port}`]).status === 0);
  return serverOf(`postgres://postgres@127.0.0.1:${port}/postgres`, child, folder);
}

/** PostgreSQL refuses to run as root, so root starts it as somebody else. */
function unprivileged(): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const user = ['postgres', 'nobody'].find((name) => spawnSync('id', [name]).status === 0) ?? 'nobody';
  const idOf = (kind: '-u' | '-g'): number => Number(execFileSync('id', [kind, user]).toString());
  return { uid: idOf('-u'), gid: idOf('-g') };
}
