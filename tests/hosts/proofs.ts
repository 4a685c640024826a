import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { root } from '../../scripts/root.ts';
import { crash } from './crashing.ts';
import { crowd } from './crowd.ts';
import type { FleetOptions, HostFleet } from './host-fleet.ts';
import { runWithKill } from './kill-points.ts';
import type { HostKind } from './open-host.ts';
import { restartDatabase, stopDatabase } from './restart-database.ts';
import { takeOver } from './takeovers.ts';
import { deploy, giveThrice, killAtRandom, underLoad } from './under-load.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The counts of a part, and its measures in milliseconds under names that begin with `ms`. */
type Counted = Readonly<Record<string, number>>;

/** One part of a case: what it does over a fleet. Parts that are done are left out when the proof goes on. */
export type Part = {
  readonly name: string;
  readonly run: (fleet: HostFleet, random: SeededRandom) => Promise<Counted>;
};

/** A case of `npm run prove -- hosts`. */
export type Proof = {
  /** The full count. */
  readonly count: number;
  readonly hosts: readonly HostKind[];
  readonly fleet: (kind: HostKind) => Omit<FleetOptions, 'kind'>;
  /** Called before the fleet stops. */
  readonly end?: (fleet: HostFleet) => Promise<void>;
  /** The most milliseconds of measures at their p99, on a quiet machine. */
  readonly p99?: Readonly<Record<string, number>>;
  /** The parts for a count. They may depend on a run over the fleet. */
  readonly parts: (count: number, fleet: HostFleet) => readonly Part[] | Promise<readonly Part[]>;
};

const all: readonly HostKind[] = ['sqlite', 'dbos'];
const distributed: readonly HostKind[] = ['dbos'];

/** Parts of at most `size`, which together have a count. */
function chunks(
  count: number,
  size: number,
  run: (size: number, fleet: HostFleet, random: SeededRandom) => Promise<Counted>,
): readonly Part[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => {
    const own = Math.min(size, count - i * size);
    return { name: `${i * size + 1}-${i * size + own}`, run: (fleet, random) => run(own, fleet, random) };
  });
}

export const proofs = {
  laws: {
    count: 20,
    hosts: all,
    fleet: () => ({ processes: 0 }),
    parts: (runs) => [
      {
        name: `${runs} kills`,
        async run({ kind }) {
          const args = ['vitest', 'run', '--project', 'node', `packages/server/src/${kind}`];
          const env = { ...process.env, PROVE_RUNS: String(runs) };
          const { status } = spawnSync('npx', [...args, '--testTimeout', '36000000'], {
            cwd: root,
            env,
            stdio: 'inherit',
          });
          assert.equal(status, 0, 'A law is broken.');
          return { kills: runs };
        },
      },
    ],
  },
  points: {
    count: 20,
    hosts: all,
    fleet: (kind) => ({ processes: kind === 'dbos' ? 2 : 1, paceMs: 2 }),
    async parts(rounds, whole) {
      const { points } = await runWithKill(whole, Infinity);
      return Array.from({ length: rounds * points.length }, (_, i): Part => {
        const at = (i % points.length) + 1;
        return {
          name: `point ${at}, round ${Math.floor(i / points.length) + 1}`,
          run: async (fleet) => ({ kills: Number((await runWithKill(fleet, at)).isKilled) }),
        };
      });
    },
  },
  random: {
    count: 1000,
    hosts: all,
    // Kills come from outside here, so a session is hit by more of them in a row than it is allowed by default.
    fleet: (kind) => ({ processes: kind === 'dbos' ? 3 : 1, mostDeaths: 25 }),
    parts: (count) =>
      chunks(count, 20, async (kills, fleet, random) => {
        let commands = 0;
        const { runs, interrupted } = await underLoad(fleet, { lanes: 4, random }, async () => {
          let isOver = false;
          const killing = killAtRandom(fleet, kills, random).finally(() => (isOver = true));
          for (; !isOver; commands++) await giveThrice(fleet);
          await killing;
        });
        return { kills, runs, commands, interrupted };
      }),
  },
  crashing: {
    count: 20,
    hosts: all,
    fleet: (kind) => ({ processes: kind === 'dbos' ? 2 : 1 }),
    parts: (count) =>
      chunks(count, 1, async (_size, fleet) => {
        await crash(fleet);
        return { sessions: 1 };
      }),
  },
  takeovers: {
    count: 200,
    hosts: distributed,
    fleet: () => ({ processes: 3 }),
    p99: { 'ms after SIGKILL': 5000, 'ms after SIGSTOP': 5000 },
    parts: (count) =>
      (['SIGKILL', 'SIGSTOP'] as const).flatMap((signal) =>
        chunks(count, 1, async (_size, fleet, random) => {
          const ms = await takeOver(fleet, signal, random);
          return signal === 'SIGKILL'
            ? { killed: 1, 'ms after SIGKILL': ms }
            : { zombies: 1, 'ms after SIGSTOP': ms };
        }).map((part) => ({ ...part, name: `${signal} ${part.name}` })),
      ),
  },
  deploys: {
    count: 30,
    hosts: distributed,
    fleet: () => ({ processes: 3, paceMs: 40 }),
    parts: (count) =>
      chunks(count, 5, async (deploys, fleet, random) => {
        let bad = 0;
        const script = 'pay:a stay:700 look:b stay:300 mail:c refund:d';
        const { runs, interrupted } = await underLoad(fleet, { lanes: 6, random, script }, async () => {
          bad = await deploy(fleet, deploys, random);
        });
        assert.equal(bad, 0, `${bad} processes ended badly.`);
        assert.equal(interrupted, 0, `${interrupted} tools were cut.`);
        return { deploys, runs };
      }),
  },
  database: {
    count: 10,
    hosts: distributed,
    // A run that a restart cuts off counts as one that died, and a run may meet a few restarts.
    fleet: () => ({ processes: 3, mostDeaths: 10 }),
    // One that was restarted is no child of this process.
    end: stopDatabase,
    parts: (count) =>
      chunks(count, 5, async (restarts, fleet, random) => {
        const load = await underLoad(fleet, { lanes: 4, random }, () =>
          restartDatabase(fleet, restarts, random),
        );
        return { restarts, ...load };
      }),
  },
  crowd: {
    count: 200,
    hosts: all,
    fleet: (kind) => ({ processes: kind === 'dbos' ? 2 : 1 }),
    parts: (sessions) => [
      {
        name: `${sessions} at once`,
        async run(fleet) {
          const times = (await crowd(fleet, sessions)).toSorted((a, b) => a - b);
          return { sessions, 'ms to the first text, p50': times[Math.floor(times.length / 2)] ?? Number.NaN };
        },
      },
    ],
  },
} satisfies Readonly<Record<string, Proof>>;
