import { type ChildProcess, spawn } from 'node:child_process';
import { root } from '../../scripts/root.ts';

export type DemoServer = { readonly url: string; readonly stop: () => void };

/** Starts the demo as `npm run demo` does, on a free port, without any key. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<DemoServer> {
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', 'apps/demo/server/main.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { url: await printedUrl(child), stop: () => void child.kill() };
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (data: Buffer): void => {
      output += data.toString();
      const url = /https?:\/\/\S+/.exec(output)?.[0];
      if (url) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => reject(new Error(`The demo ended with ${code}:\n${output}`)));
  });
}
