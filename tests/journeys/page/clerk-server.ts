import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { root } from '../../../scripts/root.ts';

/** Processes that serve the clerk, one after the other, over one SQLite file. */
export type ClerkServer = {
  /** The address of the process that runs. */
  readonly url: () => string;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** The things that tools have done, in all processes. */
  readonly deeds: () => readonly string[];
};

/** Serves the pages of an origin. */
export function clerkServer(folder: string, origin: string): ClerkServer {
  const deeds = join(folder, 'deeds.txt');
  let child: ChildProcessByStdio<null, Readable, null> | null = null;
  let url = '';
  return {
    url: () => url,
    async start() {
      const script = `${root}/tests/journeys/page/clerk-process.ts`;
      const args = ['--conditions=@vitrine/source', script, join(folder, 'sessions.db'), deeds, origin];
      const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      child = started;
      url = await new Promise<string>((resolve, reject) => {
        started.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
        started.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
      });
    },
    async kill() {
      const killed = child;
      if (killed === null) return;
      child = null;
      const closed = new Promise<void>((resolve) => killed.once('close', () => resolve()));
      killed.kill('SIGKILL');
      await closed;
    },
    deeds: () => (existsSync(deeds) ? readFileSync(deeds, 'utf8').trim().split('\n') : []),
  };
}
