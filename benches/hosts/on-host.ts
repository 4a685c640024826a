import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchProcess, startProcess } from '../processes/start-process.ts';

/** The places where an agent runs. */
export type HostKind = 'memory' | 'sqlite' | 'dbos';

/** Works with a process that runs agents, over a file of its own or the database; `upstream` is their model. */
export async function onHost<Result>(
  kind: HostKind,
  { upstream, database }: { readonly upstream: string; readonly database: string },
  work: (server: BenchProcess) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  const place = kind === 'dbos' ? database : join(folder, 'sessions.db');
  const server = await startProcess('../hosts/run-process.ts', kind, place, upstream);
  try {
    return await work(server);
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
