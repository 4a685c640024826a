import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';
import {
  findProgram,
  freePort,
  sayMissing,
  serverOf,
  type TestServer,
  untilReady,
} from '../servers/test-server.ts';

/** A balancer, the file of docs/deploy that it runs with, and how it is started with one. */
export type RealBalancer = {
  readonly program: string;
  readonly file: string;
  readonly command: (folder: string, file: string) => readonly string[];
};

/** The balancers that docs/deploy.md shows. */
export const realBalancers: readonly RealBalancer[] = [
  { program: 'haproxy', file: 'haproxy.cfg', command: (_folder, file) => ['-db', '-f', file] },
  {
    program: 'nginx',
    file: 'nginx.conf',
    command: (folder, file) => [
      '-p',
      folder,
      '-c',
      file,
      '-e',
      'stderr',
      '-g',
      `daemon off; pid ${join(folder, 'nginx.pid')};`,
    ],
  },
  {
    program: 'caddy',
    file: 'Caddyfile',
    command: (_folder, file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
];

/** Starts a balancer of this machine with its file of the docs, over two servers; null, said loudly, where there is none. */
export async function startRealBalancer(
  { program, file, command }: RealBalancer,
  targets: readonly [string, string],
): Promise<TestServer | null> {
  const path = findProgram(program, program);
  if (path === null) return sayMissing(program, program);
  const folder = mkdtempSync(join(tmpdir(), `vitrine-${program}-`));
  mkdirSync(join(folder, 'logs'));
  const port = await freePort();
  let text = readFileSync(join(root, 'docs/deploy', file), 'utf8');
  const places = [
    ['127.0.0.1:8787', new URL(targets[0]).host],
    ['127.0.0.1:8788', new URL(targets[1]).host],
    [
      file === 'Caddyfile' ? '\n:8080' : '127.0.0.1:8080',
      file === 'Caddyfile' ? `\n:${port}` : `127.0.0.1:${port}`,
    ],
  ] as const;
  for (const [shown, real] of places) {
    if (!text.includes(shown)) throw new Error(`docs/deploy/${file} does not speak of ${shown.trim()}.`);
    text = text.replace(shown, real);
  }
  const config = join(folder, file);
  writeFileSync(config, text);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(path, command(folder, config), { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  await untilReady(child, () =>
    fetch(`${url}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return serverOf(url, child, folder);
}
