import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/root.ts';
import { crowd } from './crowd.ts';
import { type FleetOptions, type HostFleet, startHostFleet } from './host-fleet.ts';
import { runWithKill } from './kill-points.ts';
import type { HostKind } from './open-host.ts';
import { restartDatabase, stopDatabase } from './restart-database.ts';
import { takeOver, type Takeover } from './takeovers.ts';
import { deploy, giveThrice, killAtRandom, underLoad } from './under-load.ts';

// npm run prove:hosts -- [--only laws,points,random,takeovers,deploys,database,crowd] [--host sqlite,dbos] [--count n] [--notes file]
// `--count` replaces the full count of each case. With `--notes` the kills at points that were done before are left out.

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    host: { type: 'string' },
    count: { type: 'string' },
    notes: { type: 'string' },
  },
});

/** A case, by its full count. It returns what it has measured. */
type Proof = {
  readonly count: number;
  readonly hosts: readonly HostKind[];
  readonly run: (kind: HostKind, count: number) => Promise<string>;
};

const proofs: Readonly<Record<string, Proof>> = {
  laws: {
    count: 20,
    hosts: ['sqlite', 'dbos'],
    async run(kind, runs) {
      const args = [
        'vitest',
        'run',
        '--project',
        'node',
        `packages/server/src/${kind}`,
        '--testTimeout',
        '36000000',
      ];
      const env = { ...process.env, PROVE_RUNS: String(runs) };
      const { status } = spawnSync('npx', args, { cwd: root, env, stdio: 'inherit' });
      if (status !== 0) throw new Error('A law is broken.');
      return `the laws hold, with ${runs} kills each`;
    },
  },
  points: {
    count: 20,
    hosts: ['sqlite', 'dbos'],
    run: (kind, rounds) =>
      withFleet({ kind, processes: kind === 'dbos' ? 2 : 1, paceMs: 2 }, async (fleet) => {
        const done = notesOf(kind);
        fleet.keepFull();
        const points = await runWithKill(fleet, Infinity);
        let kills = 0;
        for (let round = 1; round <= rounds; round++)
          for (let at = 1; at <= points.length; at++) {
            const note = `points ${kind} ${round} ${at}`;
            if (done.has(note)) continue;
            await runWithKill(fleet, at);
            kills++;
            addNote(note);
          }
        return `${kills} kills at ${points.length} points of a run: each completed once, and equal everywhere`;
      }),
  },
  random: {
    count: 1000,
    hosts: ['sqlite', 'dbos'],
    run: (kind, kills) =>
      withFleet({ kind, processes: kind === 'dbos' ? 3 : 1 }, async (fleet) => {
        fleet.keepFull();
        let thrice = 0;
        const { runs, interrupted } = await underLoad(fleet, { lanes: 4 }, async () => {
          const killing = killAtRandom(fleet, kills);
          let isOver = false;
          void killing.finally(() => (isOver = true));
          for (; !isOver; thrice++) await giveThrice(fleet);
          await killing;
        });
        return `${kills} kills under ${runs} runs: nothing twice, ${thrice} commands given four times and applied once, ${interrupted} calls interrupted`;
      }),
  },
  takeovers: {
    count: 200,
    hosts: ['dbos'],
    async run(kind, count) {
      const options = { kind, processes: 3, deadMs: 3000 };
      const measured = async (signal: 'SIGKILL' | 'SIGSTOP'): Promise<readonly Takeover[]> => {
        const all: Takeover[] = [];
        await withFleet(options, async (fleet) => {
          fleet.keepFull();
          for (let i = 0; i < count; i++) all.push(await takeOver(fleet, signal));
          return '';
        });
        return all;
      };
      const [killed, stopped] = [await measured('SIGKILL'), await measured('SIGSTOP')];
      const zombies = stopped.filter(({ isZombie }) => isZombie).length;
      const line = (what: string, all: readonly Takeover[]): string =>
        `${what} ${timesOf(all.map(({ ms }) => ms))}`;
      return `${line('after SIGKILL', killed)}; ${line('after SIGSTOP', stopped)}; ${zombies} of ${count} processes that came back changed nothing`;
    },
  },
  deploys: {
    count: 30,
    hosts: ['dbos'],
    run: (kind, count) =>
      withFleet({ kind, processes: 3, paceMs: 40 }, async (fleet) => {
        fleet.keepFull();
        let bad = 0;
        const script = 'pay:a stay:700 look:b stay:300 mail:c refund:d';
        const { runs, interrupted } = await underLoad(fleet, { lanes: 6, script }, async () => {
          bad = await deploy(fleet, count);
        });
        if (bad + interrupted > 0)
          throw new Error(`${bad} processes ended badly, ${interrupted} tools were cut.`);
        return `${count} processes ended with SIGTERM under ${runs} runs: no tool cut, nothing lost`;
      }),
  },
  database: {
    count: 10,
    hosts: ['dbos'],
    run: (kind, restarts) =>
      withFleet({ kind, processes: 3 }, async (fleet) => {
        try {
          const { runs, interrupted } = await underLoad(fleet, { lanes: 4 }, () =>
            restartDatabase(fleet, restarts),
          );
          return `${restarts} restarts of PostgreSQL under ${runs} runs: nothing lost, ${interrupted} calls interrupted`;
        } finally {
          await stopDatabase(fleet);
        }
      }),
  },
  crowd: {
    count: 200,
    hosts: ['sqlite', 'dbos'],
    run: (kind, sessions) =>
      withFleet({ kind, processes: kind === 'dbos' ? 2 : 1 }, async (fleet) => {
        const at = performance.now();
        const times = await crowd(fleet, sessions);
        const seconds = (performance.now() - at) / 1000;
        return `${sessions} sessions at once in ${seconds.toFixed(1)} s, all equal; first text ${timesOf(times)}`;
      }),
  },
};

async function withFleet(
  options: FleetOptions,
  work: (fleet: HostFleet) => Promise<string>,
): Promise<string> {
  const fleet = await startHostFleet(options);
  if (fleet === null) return 'left out: there is no PostgreSQL on this machine';
  try {
    return await work(fleet);
  } finally {
    await fleet.stop();
  }
}

function timesOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) / 1000).toFixed(
      2,
    );
  return `p50 ${at(0.5)} s, p99 ${at(0.99)} s, most ${at(1)} s (${sorted.length})`;
}

function notesOf(kind: HostKind): ReadonlySet<string> {
  const { notes } = values;
  if (notes === undefined || !existsSync(notes)) return new Set();
  return new Set(
    readFileSync(notes, 'utf8')
      .split('\n')
      .filter((line) => line.includes(` ${kind} `)),
  );
}

function addNote(line: string): void {
  if (values.notes !== undefined) appendFileSync(values.notes, `${line}\n`);
}

const only = values.only?.split(',') ?? Object.keys(proofs);
const unknown = only.filter((name) => !(name in proofs));
const hosts = values.host?.split(',') ?? ['sqlite', 'dbos'];
const count = values.count === undefined ? null : Number(values.count);
if (unknown.length > 0 || !(count === null || count >= 1)) {
  process.stderr.write(`Give --only some of ${Object.keys(proofs).join(', ')}, and --count of 1 or more.\n`);
  process.exit(2);
}
for (const [name, proof] of Object.entries(proofs).filter(([each]) => only.includes(each)))
  for (const kind of proof.hosts.filter((each) => hosts.includes(each))) {
    const at = performance.now();
    try {
      const told = await proof.run(kind, count ?? proof.count);
      process.stdout.write(`${name}, ${kind}: ${told} (${((performance.now() - at) / 1000).toFixed(0)} s)\n`);
    } catch (thrown) {
      process.stderr.write(
        `${name}, ${kind}: FAILED: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
      );
      process.exitCode = 1;
    }
  }
// Devices that wait for a server keep the process alive.
process.exit();
