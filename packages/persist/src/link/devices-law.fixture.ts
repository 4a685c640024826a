import fc from 'fast-check';
import { expect } from 'vitest';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { type DeviceCourse, deviceCourse } from './device-course.fixture.ts';
import { type DevicesSeen, playDevices, type Said } from './devices-simulation.fixture.ts';
import type { StoredLine } from './stored-lines.fixture.ts';

/**
 * The name and the number of schedules of a campaign. `PROVE_SEED` and `PROVE_PATH` repeat a schedule of an
 * earlier one.
 */
export type Campaign = { readonly name: string; readonly numRuns: number };

/** The schedules of a law, and its assertion. */
export type DevicesLaw = {
  readonly course: fc.Arbitrary<DeviceCourse>;
  readonly assert: (seen: DevicesSeen) => void;
};

/** Plays random schedules over stores that `open` creates, and asserts the law for each. */
export async function proveDevices(
  { name, numRuns }: Campaign,
  open: () => () => SessionStore,
  isLinked: boolean,
  { course, assert }: DevicesLaw = { course: deviceCourse, assert: assertDevices },
): Promise<void> {
  const seed = Number(process.env['PROVE_SEED'] ?? (numRuns > 50 ? Math.trunc(Math.random() * 2 ** 31) : 1));
  const path = process.env['PROVE_PATH'];
  const counts = { courses: 0, messages: 0, done: 0, unstored: 0, crashes: 0, resets: 0 };
  await fc.assert(
    fc.asyncProperty(course, async (played) => {
      const seen = await playDevices(played, open(), isLinked);
      assert(seen);
      counts.courses += 1;
      counts.messages += seen.said.length;
      counts.done += seen.said.filter(({ turn }) => turn?.status === 'done').length;
      counts.unstored += seen.said.filter(({ turn }) => turn?.stored === false).length;
      counts.crashes += played.crashes.filter((at) => at <= seen.points).length;
      counts.resets += seen.resets.length;
    }),
    { numRuns, seed, endOnFailure: true, ...(path === undefined ? {} : { path }) },
  );
  // A session that does nothing loses nothing.
  if (numRuns >= 7) expect(counts.done, `turns that were done, seed ${seed}`).toBeGreaterThan(0);
  if (numRuns > 50)
    process.stdout.write(`${name}, locks ${isLinked}, seed ${seed}: ${JSON.stringify(counts)}\n`);
}

/**
 * Asserts the law of devices: no effect happens twice, and no message is stored twice.
 * Every settled turn is where it reports to be: in the session, in its queue or outbox, or in the session of
 * `forkedTo`.
 * A turn with `stored: false` is there too once a later `flush` or `dispose` of its device has resolved as
 * stored.
 */
export function assertDevices(seen: DevicesSeen): void {
  for (const [id, count] of seen.effects) expect(count, `effects of ${id}`).toBe(1);
  for (const said of seen.said) {
    const times = [...seen.active.map((message) => message.said), ...seen.waiting];
    const { words } = said;
    expect(times.filter((found) => found === words).length, `${words} in the session`).toBeLessThanOrEqual(1);
    assertTold(said, seen);
  }
}

/** Asserts the law of devices, and that no step of an answer was paid twice. */
export function assertPaidOnce(seen: DevicesSeen): void {
  assertDevices(seen);
  // The task of a subagent names no message.
  for (const [step, count] of seen.calls)
    if (!step.startsWith('pay,')) expect(count, `model calls for ${step}`).toBe(1);
}

/**
 * Asserts the law of devices that send at the same time: one calls its model first, and every message is answered in
 * its turn, with one call and without a fork, by whichever device.
 */
export function assertAnsweredInTurn(seen: DevicesSeen): void {
  assertPaidOnce(seen);
  for (const { words, turn } of seen.said)
    expect(turn, words).toMatchObject({ status: 'done', outcome: 'completed', stored: true, forkedTo: null });
  const asked = seen.active.filter(({ role }) => role === 'user').map(({ said }) => said);
  expect(asked.toSorted()).toEqual(seen.said.map(({ words }) => words).toSorted());
  expect([seen.forks.size, seen.waiting]).toEqual([0, []]);
}

function assertTold(entry: Said, seen: DevicesSeen): void {
  const { words, turn, device, at, isWitnessed } = entry;
  if (turn === null) return expect(device.isGone, `${words} was never told of`).toBe(true);
  // A refused command has changed nothing; a reset erases the messages before it.
  if (turn.status === 'refused' || seen.resets.some(({ until }) => at <= until)) return;
  if (turn.status === 'cancelled' && turn.kind !== 'send') return;
  if (!turn.stored && !isWitnessed) return;
  const told = `${words}: ${JSON.stringify(turn)} ${JSON.stringify({ isWitnessed, ...seenOf(seen) })}`;
  const lines =
    turn.forkedTo === null ? [seen.active, ...seen.branches] : (seen.forks.get(turn.forkedTo) ?? []);
  const isWaiting = turn.outcome !== 'completed' && seen.waiting.includes(words);
  const own = lines.filter((line) => line.some(({ said }) => said === words));
  expect(own.length > 0 || isWaiting || isForkedLater(entry, seen), `lost ${told}`).toBe(true);
  if (turn.status === 'done' && turn.outcome === 'completed')
    expect(
      [...own, ...forksOf(entry, seen)].some((line) => isAnswered(line, words)),
      `no answer ${told}`,
    ).toBe(true);
}

/** The forks that `persistence` named after a turn settled as not stored yet. */
function forksOf({ device, words, turn }: Said, { forks }: DevicesSeen): readonly StoredLine[] {
  if (turn?.stored === true) return [];
  const lines = [...device.forks].flatMap((id) => forks.get(id) ?? []);
  return lines.filter((line) => line.some(({ said }) => said === words));
}

function isForkedLater(entry: Said, seen: DevicesSeen): boolean {
  return forksOf(entry, seen).length > 0;
}

/** True when a message of the agent follows a message before the next one of the user. */
function isAnswered(line: StoredLine, words: string): boolean {
  const behind = line.slice(line.findIndex(({ said }) => said === words) + 1);
  const end = behind.findIndex(({ role }) => role === 'user');
  return behind
    .slice(0, end < 0 ? behind.length : end)
    .some(({ role, said }) => role === 'assistant' && said !== '');
}

function seenOf({ active, branches, waiting, forks }: DevicesSeen): object {
  return { active, branches, waiting, forks: [...forks] };
}
