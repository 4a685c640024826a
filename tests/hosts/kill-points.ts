import assert from 'node:assert/strict';
import { checkRun, until, wholeTurn, withLimit } from './check-run.ts';
import type { HostFleet } from './host-fleet.ts';
import { wholeScript } from './scripted-agent.ts';

/** The limit of one run with its kill, in milliseconds. */
const runMs = 600_000;
let count = 0;

/** A run of the script: the kinds of the points of its work, and whether its process was killed. */
export type KilledRun = { readonly points: readonly string[]; readonly isKilled: boolean };

/** Runs the script once, and kills the process that runs it at a point. Infinity kills none. */
export async function runWithKill(fleet: HostFleet, at: number): Promise<KilledRun> {
  const sessionId = `run-${process.pid}-${++count}`;
  const what = `The run ${sessionId} with a kill at point ${at}`;
  return withLimit({ what, ms: runMs, fleet, sessions: [sessionId] }, async () => {
    const before = fleet.members.slice();
    if (Number.isFinite(at)) for (const member of before) member.arm(sessionId, at);
    const [laptop, phone] = [fleet.device(sessionId), fleet.device(sessionId)];
    const turn = await wholeTurn(laptop, phone, wholeScript);
    assert.deepEqual([turn.status, turn.outcome], ['done', 'completed'], what);
    await checkRun(fleet, sessionId, [laptop, phone], wholeScript);
    await Promise.all([laptop.dispose(), phone.dispose()]);
    await until(() => fleet.members.length === before.length, 'the killed process is replaced');
    const all = await Promise.all(fleet.members.map((member) => member.points(sessionId)));
    return { points: all.flat(), isKilled: fleet.wasKilled(sessionId) };
  });
}
