import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/root.ts';
import { type HostFleet, startHostFleet } from './host-fleet.ts';
import type { HostKind } from './open-host.ts';
import { lateIn, summaryOf } from './measured.ts';
import { type DonePart, openProgress, type Progress } from './progress.ts';
import { type Part, type Proof, proofs } from './proofs.ts';
import { seededRandom } from './seeded-random.ts';

// npm run prove -- hosts [--only laws,points,random,crashing,takeovers,deploys,database,crowd] [--host sqlite,dbos] [--count n]
//   [--seed n] [--lanes n] [--progress file]
// `--count` replaces the full count of each case, `--seed` the seed of each part; `--lanes` does so many parts at once, each
// over processes of its own. Parts that the file says are done for these sources are left out, so a proof that was stopped
// goes on. Failed parts are done again.

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    host: { type: 'string' },
    count: { type: 'string' },
    seed: { type: 'string' },
    lanes: { type: 'string', default: '1' },
    progress: { type: 'string', default: join(root, 'tests/hosts/.proved.jsonl') },
  },
});

/** The fleet of a case, which is started anew after a failure. */
type FleetHolder = { readonly get: () => Promise<HostFleet | null>; readonly drop: () => Promise<void> };

function holdFleet(kind: HostKind, proof: Proof): FleetHolder {
  let fleet: HostFleet | null = null;
  return {
    async get() {
      fleet ??= await startHostFleet({ kind, ...proof.fleet(kind) });
      fleet?.keepFull();
      return fleet;
    },
    async drop() {
      const left = fleet;
      fleet = null;
      if (left === null) return;
      await proof.end?.(left);
      await left.stop();
    },
  };
}

type Case = { readonly name: string; readonly kind: HostKind; readonly proof: Proof; readonly count: number };

/** Does the parts of a case that are left, in lanes. @returns false where there is no database for it */
async function prove(given: Case, progress: Progress): Promise<boolean> {
  const { name, kind, proof, count } = given;
  const first = holdFleet(kind, proof);
  try {
    const fleet = await first.get();
    if (fleet === null) return false;
    const before = progress.of(name, kind);
    const isLeft = (part: Part): boolean =>
      before.get(part.name)?.failure !== undefined || !before.has(part.name);
    const left = (await proof.parts(count, fleet)).filter(isLeft);
    const others = Array.from({ length: lanes - 1 }, () => holdFleet(kind, proof));
    await Promise.all([first, ...others].map((holder) => proveLane(given, left, holder, progress)));
    return true;
  } finally {
    await first.drop();
  }
}

/** Takes one part after the other from those that are left. */
async function proveLane(
  { name, kind }: Case,
  left: Part[],
  holder: FleetHolder,
  progress: Progress,
): Promise<void> {
  try {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      const done = await provePart(part, holder.get);
      progress.add({ name, host: kind, part: part.name, ...done });
      if (done.failure === undefined) continue;
      process.stderr.write(`${name}, ${kind}, ${part.name}, seed ${done.seed}: FAILED: ${done.failure}\n`);
      await holder.drop();
    }
  } finally {
    await holder.drop();
  }
}

async function provePart(
  part: Part,
  fleetOf: () => Promise<HostFleet | null>,
): Promise<Pick<DonePart, 'seed' | 'counted' | 'failure'>> {
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  try {
    const fleet = await fleetOf();
    if (fleet === null) throw new Error('PostgreSQL did not start.');
    return { seed, counted: await part.run(fleet, seededRandom(seed)) };
  } catch (thrown) {
    return { seed, counted: {}, failure: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

const only = values.only?.split(',') ?? Object.keys(proofs);
const unknown = only.filter((name) => !(name in proofs));
const hosts = values.host?.split(',') ?? ['sqlite', 'dbos'];
const lanes = Number(values.lanes);
const given = values.count === undefined ? null : Number(values.count);
if (unknown.length > 0 || !(given === null || given >= 1) || !(lanes >= 1)) {
  process.stderr.write(
    `Give --only some of ${Object.keys(proofs).join(', ')}, and --count and --lanes of 1 or more.\n`,
  );
  process.exit(2);
}
// At its exit the process ends those that it has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const progress = openProgress(values.progress);
for (const [name, proof] of only.flatMap((each) =>
  Object.entries<Proof>(proofs).filter(([key]) => key === each),
))
  for (const kind of proof.hosts.filter((each) => hosts.includes(each))) {
    const isThere = await prove({ name, kind, proof, count: given ?? proof.count }, progress);
    const parts = [...progress.of(name, kind).values()];
    const told = isThere ? summaryOf(parts) : 'left out: there is no PostgreSQL on this machine';
    process.stdout.write(`${name}, ${kind}: ${told}\n`);
    const late = lateIn(parts, proof.p99 ?? {});
    for (const sentence of late) process.stderr.write(`${name}, ${kind}: FAILED: ${sentence}\n`);
    if (late.length > 0 || parts.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  }
// Devices that wait for a server keep the process alive.
process.exit();
