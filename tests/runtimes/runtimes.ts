import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../scripts/root.ts';
import { freePort, serverOf, type TestServer, untilReady } from '../servers/test-server.ts';

export type Env = Readonly<Record<string, string>>;

/** Runtimes, installed in a folder of their own. */
export type Runtimes = {
  /** Serves the worker with this environment. */
  readonly start: (name: RuntimeName, env: Env) => Promise<TestServer>;
  readonly remove: () => void;
};

export type RuntimeName = keyof typeof commands;

/** The server of a bundle on a port, which is in the environment as well. */
const commands = {
  Bun: { entry: 'serve-bun.ts', args: ['bun', 'run', 'Bun.js'] },
  Deno: {
    entry: 'serve-deno.ts',
    args: ['deno', 'run', '--no-config', '--allow-net', '--allow-env', 'Deno.js'],
  },
  workerd: { entry: 'worker.ts', args: ['workerd', 'serve', 'workerd.capnp'] },
} as const;

/** @throws Error where they cannot be installed: they come from the package registry. */
export async function installRuntimes(): Promise<Runtimes> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-runtimes-'));
  copyFileSync(join(root, 'tests/runtimes/package.json'), join(folder, 'package.json'));
  run(folder, 'npm', 'install', '--no-audit', '--no-fund');
  // Bun is put into its place by its install script, which may have been switched off.
  run(folder, 'node', 'node_modules/bun/install.js');
  for (const [name, { entry }] of Object.entries(commands)) await bundle(entry, join(folder, `${name}.js`));

  async function start(name: RuntimeName, env: Env): Promise<TestServer> {
    const port = await freePort();
    const own = mkdtempSync(join(tmpdir(), 'vitrine-runtime-'));
    if (name === 'workerd') writeFileSync(join(folder, 'workerd.capnp'), workerdConfig(port, env));
    const [program, ...args] = commands[name].args;
    const child: ChildProcess = spawn(join(folder, 'node_modules/.bin', program), args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: own, ...env, PORT: String(port) },
    });
    const url = `http://127.0.0.1:${port}`;
    await untilReady(child, () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return serverOf(url, child, own);
  }

  return { start, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function run(cwd: string, command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Bun, Deno and workerd could not be installed:\n${stderr}`);
}

/** As an application bundles it: one module, nothing of Node. */
async function bundle(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(root, 'tests/runtimes', entry)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['@vitrine/source', 'workerd', 'worker', 'import'],
    logLevel: 'error',
  });
}

function workerdConfig(port: number, env: Env): string {
  const bindings = Object.entries(env).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "workerd.js")],
  compatibilityDate = "2026-11-01",
  bindings = [${bindings.join(', ')}],
);
`;
}
