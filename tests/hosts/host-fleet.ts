import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AgentState,
  type AgentSession,
  createAgentSession,
  loadedSession,
  resolveRecord,
} from '@vitrine/core';
import { agentServer } from '@vitrine/react/server';
import type { SessionAddress, SessionHost } from '@vitrine/server';
import { build } from 'esbuild';
import { root } from '../../scripts/root.ts';
import { startBalancer } from '../servers/start-balancer.ts';
import { startPostgres } from '../servers/start-postgres.ts';
import type { TestServer as Database } from '../servers/test-server.ts';
import type { ProcessSettings, TestServer } from './agent-process.ts';
import { type HostKind, openHost } from './open-host.ts';

/** A process of a fleet. */
export type Member = {
  readonly child: ChildProcess;
  readonly url: string;
  /** Kills the process at a point of the work of a session. */
  readonly arm: (session: string, at: number) => void;
  /** The kinds of the points that it has passed in a session. */
  readonly points: (session: string) => Promise<readonly string[]>;
  readonly closed: Promise<void>;
};

/** Processes of one server of agents behind one address, and the devices that use it. */
export type HostFleet = {
  readonly kind: HostKind;
  readonly url: string;
  /** A host that runs nothing: it reads what is stored. */
  readonly host: SessionHost;
  readonly members: Member[];
  readonly database: Database | null;
  /** Starts one more process. */
  readonly add: () => Promise<Member>;
  /** Ends a process; resolves with its exit code once it is gone. */
  readonly end: (member: Member, signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>;
  /** Starts a process for each one that ends, until the fleet stops. */
  readonly keepFull: () => void;
  /** Resolves when as many processes run as at the start. */
  readonly full: () => Promise<void>;
  /** A device that follows a session. */
  readonly device: (sessionId: string) => AgentSession;
  /** The effects outside of a session, as `pay a`. */
  readonly deeds: (sessionId: string) => readonly string[];
  /** True when a process was killed at the point of a session. */
  readonly wasKilled: (sessionId: string) => boolean;
  /** The stored state of a session as JSON text; null when it is not stored. */
  readonly stored: (sessionId: string) => Promise<string | null>;
  readonly stop: () => Promise<void>;
};

export type FleetOptions = {
  readonly kind: HostKind;
  readonly processes: number;
  readonly paceMs?: number;
  readonly deadMs?: number;
  /** The deaths in a row after which a session ends as failed. Default: that of the host. */
  readonly mostDeaths?: number;
};

export const addressOf = (sessionId: string): SessionAddress => ({
  owner: 'anna',
  agent: 'clerk',
  sessionId,
});

/** Starts a fleet; null where there is no PostgreSQL for it. A SQLite host has one process. */
export async function startHostFleet({
  kind,
  processes,
  paceMs = 5,
  // A busy machine starves a process for a second now and then.
  deadMs = 3000,
  mostDeaths,
}: FleetOptions): Promise<HostFleet | null> {
  const database = kind === 'dbos' ? await startPostgres() : null;
  if (kind === 'dbos' && database === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-hosts-'));
  const at = database?.url ?? join(folder, 'sessions.db');
  const place = { kind, at, deadMs, mostDeaths };
  const script = await bundleProcess(folder);
  const balancer = await startBalancer();
  const members: Member[] = [];
  const sessions = new Set<AgentSession>();
  const host = await openHost(place);
  let isKept = false;
  let starting: Promise<unknown> = Promise.resolve();

  async function add(): Promise<Member> {
    const settings = { place, folder, paceMs };
    // One that was starved while it started is started again, as a supervisor does.
    const member = await startMember(script, settings).catch(() => startMember(script, settings));
    members.push(member);
    balancer.use(members.map(({ url }) => url));
    const leave = (): void => {
      if (members.includes(member)) members.splice(members.indexOf(member), 1);
      balancer.use(members.map(({ url }) => url));
      if (isKept) starting = starting.then(add);
    };
    member.child.once('exit', leave);
    return member;
  }

  for (let i = 0; i < processes; i++) await add();
  return {
    kind,
    url: balancer.url,
    host,
    members,
    database,
    add,
    async end(member, signal) {
      member.child.kill(signal);
      await member.closed;
      return member.child.exitCode;
    },
    keepFull: () => void (isKept = true),
    async full() {
      await starting;
    },
    device(sessionId) {
      const remote = agentServer<TestServer>({ url: balancer.url });
      const session = createAgentSession({
        agent: remote.agents.clerk,
        sessions: remote.sessions,
        sessionId,
        publish: 'immediate',
      });
      sessions.add(session);
      void session.ready;
      return session;
    },
    deeds(sessionId) {
      const path = join(folder, 'deeds.txt');
      const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
      const own = lines.map((line) => line.split(' ')).filter(([id]) => id === sessionId);
      return own.map(([, name, line]) => `${name} ${line}`);
    },
    wasKilled: (sessionId) => existsSync(join(folder, `killed-${sessionId}`)),
    async stored(sessionId) {
      const record = loadedSession(await host.sessions('anna').load(sessionId));
      return record === null ? null : JSON.stringify(AgentState.toJSON(resolveRecord(record).state));
    },
    async stop() {
      isKept = false;
      await starting.catch(() => undefined);
      await Promise.all([...sessions].map((session) => session.dispose()));
      await Promise.all(
        members.slice().map(({ child, closed }) => {
          child.kill('SIGKILL');
          return closed;
        }),
      );
      await balancer.stop();
      await host.stop({ graceMs: 0 });
      await database?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the code of a process as one file, which starts five times as fast, and its thread. @returns its path */
async function bundleProcess(folder: string): Promise<string> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: {
      'agent-process': join(import.meta.dirname, 'agent-process.ts'),
      'sqlite-worker': join(root, 'packages/proxy/src/sessions/sqlite/sqlite-worker.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@vitrine/source'],
    external: ['pg', '@dbos-inc/*'],
    logLevel: 'error',
  });
  return join(folder, 'agent-process.js');
}

async function startMember(script: string, settings: ProcessSettings): Promise<Member> {
  const child = fork(script, [JSON.stringify(settings)], { execArgv: [] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const closed = new Promise<void>((resolve) =>
    child.once('close', () => {
      process.off('exit', kill);
      resolve();
    }),
  );
  // A killed process takes no messages.
  child.on('error', () => undefined);
  const told = await new Promise<{ readonly url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }));
    child.once('exit', (code, signal) =>
      reject(new Error(`A server ended with ${code ?? signal} before it was ready.`)),
    );
  });
  return {
    child,
    url: told.url,
    closed,
    arm: (session, at) => void child.send({ session, at }),
    points(session) {
      const answer = new Promise<readonly string[]>((resolve) =>
        child.once('message', (message) => resolve((message as { points: string[] }).points)),
      );
      child.send({ session });
      return answer;
    },
  };
}
