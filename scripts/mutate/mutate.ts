import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { copyRepository } from './copy-repository.ts';
import { graphMutations } from './graph-mutations.ts';
import { readKnownKills } from './known-kills.ts';
import { mutated, type Mutation } from './mutation.ts';
import { runMutations } from './run-mutations.ts';
import { sessionMutations } from './session-mutations.ts';
import { createTesterProcess } from './tester-process.ts';

// Puts one fault after the other into copies of the repository and counts those that a test notices. `npm run mutate --
// ledger` takes those whose file or reason contains the word. A noticed fault is remembered until its file or that test
// changes; `npm run mutate -- --fresh` tries all again.

/** The share of faults that tests must notice. */
const goal = 0.85;
const workers = 2;

type Verdict = { readonly mutation: Mutation; readonly killedBy: string | null };

const isFresh = process.argv.includes('--fresh');
const [word = ''] = process.argv.slice(2).filter((argument) => argument !== '--fresh');
const rooms = { graph: graphMutations, run: runMutations, session: sessionMutations };
const mutations = Object.values(rooms)
  .flat()
  .filter(({ file, reason }) => file.includes(word) || reason.includes(word));
const sources = checkedSources();
const startedAt = Date.now();
const knownKills = readKnownKills();
const verdicts: Verdict[] = isFresh ? [] : mutations.flatMap(knownVerdict);
const waiting = mutations.filter((mutation) => verdicts.every((verdict) => verdict.mutation !== mutation));
process.stdout.write(`${verdicts.length} are known to be noticed, ${waiting.length} are tried.\n`);

await Promise.all(Array.from({ length: Math.min(workers, waiting.length) }, work));
report();

/** The mutated sources, by file. The whole list must fit the code before anything runs. */
function checkedSources(): ReadonlyMap<string, string> {
  const read = new Map(mutations.map(({ file }) => [file, readFileSync(join(root, file), 'utf8')]));
  const faults = mutations.flatMap((mutation) => {
    try {
      mutated(read.get(mutation.file) ?? '', mutation);
      return [];
    } catch (thrown) {
      return [(thrown as Error).message];
    }
  });
  if (faults.length === 0 && mutations.length > 0) return read;
  process.stderr.write(`${faults.join('\n') || `There is no mutation with ${JSON.stringify(word)}.`}\n`);
  process.exit(1);
}

function faultyFile(mutation: Mutation): string {
  return mutated(sources.get(mutation.file) ?? '', mutation);
}

function knownVerdict(mutation: Mutation): readonly Verdict[] {
  const killedBy = knownKills.find(faultyFile(mutation));
  return killedBy === null ? [] : [{ mutation, killedBy }];
}

async function work(): Promise<void> {
  const copy = copyRepository();
  const tester = createTesterProcess(copy);
  try {
    const broken = (await tester.test(null)) && (await tester.test(null));
    if (broken !== null) throw new Error(`The tests fail without any mutation: ${broken}`);
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      const path = join(copy, mutation.file);
      writeFileSync(path, faultyFile(mutation));
      const before = Date.now();
      const killedBy = await tester.test(mutation.file);
      writeFileSync(path, sources.get(mutation.file) ?? '');
      verdicts.push({ mutation, killedBy });
      if (killedBy !== null) knownKills.keep(faultyFile(mutation), killedBy, copy);
      tell({ mutation, killedBy }, Date.now() - before);
    }
  } finally {
    tester.end();
    rmSync(copy, { recursive: true, force: true });
  }
}

function tell({ mutation: { file, reason }, killedBy }: Verdict, ms: number): void {
  const name = `${file.replace('packages/', '').replace('/src/', '/')}: ${reason}`;
  const verdict = killedBy === null ? 'SURVIVED' : 'killed  ';
  const by = killedBy === null ? '' : `\n             by ${killedBy.slice(0, 180)}`;
  process.stdout.write(`${verdict} ${(ms / 1000).toFixed(1).padStart(5)} s  ${name}${by}\n`);
}

function report(): void {
  const survivors = verdicts.filter(({ killedBy }) => killedBy === null);
  const killed = verdicts.length - survivors.length;
  const score = killed / verdicts.length;
  for (const { mutation } of survivors) {
    const { file, text, replacement, reason } = mutation;
    process.stdout.write(`\nSURVIVED ${file}: ${reason}\n  - ${text}\n  + ${replacement}\n`);
  }
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  process.stdout.write('\n');
  for (const [room, list] of Object.entries(rooms)) {
    const tried = verdicts.filter(({ mutation }) => list.includes(mutation));
    const noticed = tried.filter(({ killedBy }) => killedBy !== null).length;
    if (tried.length > 0) process.stdout.write(`${room}: ${noticed} of ${tried.length}\n`);
  }
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
  process.stdout.write(
    `${killed} of ${verdicts.length} mutations were noticed: ${percent(score)} (goal ${percent(goal)}), in ${minutes} min.\n`,
  );
  if (score < goal) process.exitCode = 1;
}
