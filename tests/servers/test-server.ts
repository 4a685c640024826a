import { type ChildProcess, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real server that a test has started for itself, on a port and in a folder of its own. */
export type TestServer = {
  readonly url: string;
  /** Stops the process and its children, so that it takes connections and commands and answers none; or lets them go on. */
  readonly hang: (isHanging: boolean) => void;
  /** Ends the process and removes what it has stored; may be called twice. */
  readonly stop: () => Promise<void>;
};

/**
 * A program by its name: on the PATH, in Debian's folder of PostgreSQL, or installed as a package where we may; null
 * where it cannot be had.
 */
export function findProgram(name: string, debianPackage: string): string | null {
  return lookFor(name) ?? (install(debianPackage) ? lookFor(name) : null);
}

function lookFor(name: string): string | null {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : [];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...debian];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(debianPackage: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const options = {
    stdio: 'ignore',
    timeout: 180_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  } as const;
  // Two test files may want packages at once.
  const apt = ['-o', 'DPkg::Lock::Timeout=120', '-qq'];
  spawnSync('apt-get', [...apt, 'update'], options);
  return spawnSync('apt-get', [...apt, 'install', '-y', debianPackage], options).status === 0;
}

/** Says on standard error that tests are left out, because this server cannot be had here. */
export function sayMissing(what: string, debianPackage: string): null {
  process.stderr.write(
    `\n!!! SKIPPED: there is no ${what} on this machine, so its tests are left out. For Debian: apt-get install ${debianPackage}\n\n`,
  );
  return null;
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Waits until a server that was just started answers.
 * @throws Error with what it has printed, when it ended or did not answer within 30 s.
 */
export async function untilReady(
  child: ChildProcess,
  isReady: () => Promise<boolean> | boolean,
): Promise<void> {
  let printed = '';
  child.stdout?.on('data', (data: Buffer) => (printed += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (printed += data.toString()));
  child.on('error', (error) => (printed += error.message));
  for (const until = Date.now() + 30_000; Date.now() < until; await sleep(20)) {
    if (await isReady()) return;
    if (child.exitCode !== null) break;
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnfile} did not start:\n${printed}`);
}

function childrenOf(pid: number | undefined): number[] {
  const { stdout = '' } = spawnSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** The server that a process is; it ends with this process at the latest. */
export function serverOf(url: string, child: ChildProcess, folder: string): TestServer {
  let hasHung = false;
  const hang = (isHanging: boolean): void => {
    if (!isHanging && !hasHung) return;
    hasHung = isHanging;
    for (const pid of [...childrenOf(child.pid), child.pid ?? 0])
      if (pid > 0) process.kill(pid, isHanging ? 'SIGSTOP' : 'SIGCONT');
  };
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    if (child.exitCode === null && child.signalCode === null) {
      hang(false);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      const late = setTimeout(kill, 5000);
      await ended;
      clearTimeout(late);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, hang, stop: () => (stopped ??= stop()) };
}
