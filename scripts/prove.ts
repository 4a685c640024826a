import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partsOfDay, type Proof, proofs, type ProofTests } from './proofs.ts';
import { root } from './root.ts';
import { type Stage, startStages, vitest } from './stages.ts';

// npm run prove                     all parts that are not yet done for these sources
// npm run prove -- laws tabs        these parts; flags after a single one go to its program: hosts --only crowd
// npm run prove -- --within 30      those of the day that fit into so many minutes; the rest is printed

/** The parts that are done, by name, each with the sources that it was done for. */
type Progress = Readonly<Record<string, string>>;

const progressFile = join(root, '.proved.json');
const args = process.argv.slice(2);
const firstFlag = args.findIndex((arg) => arg.startsWith('--'));
const named = firstFlag < 0 ? args : args.slice(0, firstFlag);
const flags = firstFlag < 0 ? [] : args.slice(firstFlag);
const within = flags[0] === '--within' ? Number(flags[1]) : null;
const { play, close } = startStages();
const prepared = new Set<string>();

const unknown = named.filter((name) => proofs[name] === undefined);
if (unknown.length > 0 || Number.isNaN(within)) {
  process.stderr.write(
    `There is no part ${unknown.join(', ') || flags.join(' ')}. Parts: ${Object.keys(proofs).join(', ')}\n`,
  );
  process.exit(2);
}

const preparations: Readonly<
  Record<NonNullable<Proof['needs']>[number], Pick<Stage, 'command' | 'minutes'>>
> = {
  build: { command: ['npm', 'run', '--silent', 'build'], minutes: 5 },
  peers: { command: ['node', 'scripts/ensure-peers.ts'], minutes: 10 },
  chromium: { command: ['node', 'scripts/ensure-chromium.ts'], minutes: 15 },
  'oldest peers': { command: ['node', 'scripts/oldest-peers.ts'], minutes: 15 },
};

const sources = hashSources();
const failed: string[] = [];
const left: string[] = [];
for (const name of chooseParts()) {
  const proof = proofs[name];
  if (proof === undefined) continue;
  if (minutesLeft() < proof.minutes) left.push(name);
  else if (await provePart(name, proof)) writeProgress({ ...readProgress(), [name]: sources });
  // A slow machine has cut it.
  else if (minutesLeft() <= 0) left.push(name);
  else failed.push(name);
}
if (left.length > 0) process.stdout.write(`\nNot run to the end, for want of time: ${left.join(', ')}\n`);
if (failed.length > 0) process.stderr.write(`\nFailed: ${failed.join(', ')}\n`);
close(failed.length > 0 ? 1 : 0);

function minutesLeft(): number {
  return within === null ? Infinity : within - performance.now() / 60_000;
}

function chooseParts(): readonly string[] {
  if (within !== null) return partsOfDay(new Date());
  if (named.length > 0) return named;
  const done = readProgress();
  return Object.keys(proofs).filter((name) => done[name] !== sources);
}

/** Runs all of a part, also after a failure in it. */
async function provePart(name: string, proof: Proof): Promise<boolean> {
  for (const need of proof.needs ?? []) {
    if (prepared.has(need)) continue;
    if (!(await play({ name: need, ...preparations[need] }))) return false;
    prepared.add(need);
  }
  const minutes = Math.min(proof.minutes * 3 + 5, minutesLeft());
  let isGreen = true;
  const tests = [...(proof.leftOut ?? []), ...(proof.more ?? [])];
  for (const [i, given] of tests.entries()) {
    const title = tests.length > 1 ? `${name} ${i + 1}` : name;
    isGreen = (await play({ name: title, minutes, ...commandOf(title, given) })) && isGreen;
  }
  if (proof.program === undefined) return isGreen;
  const [program, ...rest] = proof.program;
  const command = [program, ...rest, ...(within === null && named.length === 1 ? flags : [])] as const;
  return (await play({ name: `${name}, program`, command, minutes })) && isGreen;
}

function commandOf(
  title: string,
  { projects, files = [], env = {}, flags: words = [] }: ProofTests,
): Pick<Stage, 'command' | 'env'> {
  const own = Object.fromEntries(Object.entries(env).filter(([key]) => process.env[key] === undefined));
  // A campaign takes its time; tests that are played as they are keep their limits.
  const patience = Object.keys(env).length > 0 ? ['--testTimeout', '36000000'] : [];
  return { command: vitest(title, projects, ...files, ...words, ...patience), env: own };
}

/** A hash of the committed sources and tests. */
function hashSources(): string {
  const tracked = execFileSync('git', ['ls-tree', '-r', 'HEAD', '.'], { cwd: root, encoding: 'utf8' });
  const lines = tracked.split('\n').filter((line) => !/\t(docs\/(?!guide)|.*CHANGELOG\.md)/.test(line));
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
}

function readProgress(): Progress {
  return existsSync(progressFile) ? (JSON.parse(readFileSync(progressFile, 'utf8')) as Progress) : {};
}

function writeProgress(progress: Progress): void {
  writeFileSync(progressFile, `${JSON.stringify(progress, null, 2)}\n`);
}
