import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Starts a fixture of a test as a process of its own, with its standard output as a pipe. */
export function spawnFixture(url: URL, args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--conditions=@vitrine/source', fileURLToPath(url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
