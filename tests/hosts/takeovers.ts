import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkRun, until, withLimit } from './check-run.ts';
import { addressOf, type HostFleet, type Member } from './host-fleet.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The limit of one takeover with its run, in milliseconds. */
const runMs = 600_000;
/** The tool that runs when the process dies or stops, and the one that must not happen twice. */
const script = 'stay:900 pay:x';
let count = 0;

/**
 * Kills or stops the process that runs a session in the middle of a tool, and measures how long nobody runs it. A stopped
 * process comes back after that, in the middle of its run, and must do nothing more.
 * @returns milliseconds
 */
export async function takeOver(
  fleet: HostFleet,
  signal: 'SIGKILL' | 'SIGSTOP',
  random: SeededRandom,
): Promise<number> {
  const sessionId = `taken-${process.pid}-${++count}`;
  const what = `The takeover of ${sessionId} after ${signal}`;
  return withLimit({ what, ms: runMs, fleet, sessions: [sessionId] }, async () => {
    const device = fleet.device(sessionId);
    const sent = device.sendMessage(script);
    const runner = await runnerOf(fleet, sessionId);
    const before = await newestEpoch(fleet, sessionId);
    const at = performance.now();
    runner.child.kill(signal);
    await until(
      async () => (await newestEpoch(fleet, sessionId)) > before,
      'another process runs the session',
    );
    const ms = performance.now() - at;
    // It wakes up while the other one runs, or after it.
    await sleep(random.below(300));
    if (signal === 'SIGSTOP') runner.child.kill('SIGCONT');
    const turn = await sent;
    assert.equal(turn.outcome, 'completed', what);
    // The stopped process would pay now.
    await sleep(signal === 'SIGSTOP' ? 1200 : 0);
    const paid = fleet.deeds(sessionId).filter((deed) => deed === 'pay x');
    assert.equal(paid.length, 1, `${sessionId} paid ${paid.length} times.`);
    // The outcome of the tool that ran may come from either, once; all of it is stored and shown.
    await checkRun(fleet, sessionId, [device], script);
    await device.dispose();
    await fleet.full();
    return ms;
  });
}

/** The process that runs the tool of a session, in its middle. */
async function runnerOf(fleet: HostFleet, sessionId: string): Promise<Member> {
  let runner: Member | undefined;
  await until(async () => {
    for (const member of fleet.members) {
      const points = await member.points(sessionId);
      if (points.at(-1) === 'tool before') runner = member;
    }
    return runner !== undefined;
  }, 'the tool runs');
  assert(runner !== undefined);
  return runner;
}

/** The number of the newest epoch whose run has read the session. */
async function newestEpoch({ host }: HostFleet, sessionId: string): Promise<number> {
  return (await host.epochs(addressOf(sessionId), 0)).at(-1)?.epoch ?? 0;
}
