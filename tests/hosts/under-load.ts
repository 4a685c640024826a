import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentState, type AgentSession } from '@vitrine/core';
import { callsOf, checkRun, until, wholeTurn, withLimit } from './check-run.ts';
import type { HostFleet } from './host-fleet.ts';
import { wholeScript } from './scripted-agent.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The limit of one run while processes end, in milliseconds. */
const runMs = 600_000;
let count = 0;

/** The runs of a load: how many ended, and the calls that were interrupted. */
export type Load = { readonly runs: number; readonly interrupted: number };

/**
 * Runs sessions side by side, one after the other in each lane, until `work` has resolved. Each is followed by two
 * devices, of which one leaves and comes back, and each is checked at its end.
 */
export async function underLoad(
  fleet: HostFleet,
  { lanes, random, script = wholeScript }: { lanes: number; random: SeededRandom; script?: string },
  work: () => Promise<void>,
): Promise<Load> {
  let [isOver, runs, interrupted] = [false, 0, 0];
  async function lane(): Promise<void> {
    while (!isOver) {
      const { state, sessionId } = await oneRun(fleet, script, random);
      runs++;
      const lost = callsOf(state).filter((call) => call.endsWith('interrupted'));
      if (lost.length > 0) process.stderr.write(`${sessionId}: ${lost.join(', ')}\n`);
      interrupted += lost.length;
    }
  }
  const all = Array.from({ length: lanes }, lane);
  const working = work().finally(() => (isOver = true));
  // A run that fails ends the load, once what works on the processes leaves them alone.
  for (const each of all) each.catch(() => (isOver = true));
  await Promise.allSettled([working, ...all]);
  await Promise.all([working, ...all]);
  return { runs, interrupted };
}

async function oneRun(
  fleet: HostFleet,
  script: string,
  random: SeededRandom,
): Promise<{ readonly state: AgentState; readonly sessionId: string }> {
  const sessionId = `load-${process.pid}-${++count}`;
  return withLimit({ what: `The run ${sessionId}`, ms: runMs, fleet, sessions: [sessionId] }, async () => {
    const [laptop, phone] = [fleet.device(sessionId), fleet.device(sessionId)];
    const guests: AgentSession[] = [];
    const rejoining = rejoin(fleet, sessionId, guests, random);
    const turn = await wholeTurn(laptop, phone, script);
    assert.deepEqual([turn.status, turn.outcome], ['done', 'completed'], sessionId);
    rejoining.abort();
    await checkRun(fleet, sessionId, [laptop, phone, ...guests.slice(-1)], script);
    await Promise.all([laptop, phone, ...guests].map((device) => device.dispose()));
    return { state: laptop.store.getState().state, sessionId };
  });
}

/** A third device that leaves and comes back until it is told to stay. */
function rejoin(
  fleet: HostFleet,
  sessionId: string,
  guests: AgentSession[],
  random: SeededRandom,
): AbortController {
  const staying = new AbortController();
  void (async () => {
    while (!staying.signal.aborted) {
      guests.push(fleet.device(sessionId));
      await sleep(200 + random.below(600));
      if (!staying.signal.aborted) await guests.at(-1)?.dispose();
    }
  })();
  return staying;
}

/** Kills processes at random, `kills` times. */
export async function killAtRandom(fleet: HostFleet, kills: number, random: SeededRandom): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + random.below(1200));
    await fleet.full();
    const member = fleet.members[random.below(fleet.members.length)];
    if (member !== undefined) await fleet.end(member, 'SIGKILL');
  }
  await fleet.full();
}

/** Gives one command three times at once, at any process, and sees that it was applied once. */
export async function giveThrice(fleet: HostFleet): Promise<void> {
  const sessionId = `thrice-${process.pid}-${++count}`;
  await withLimit({ what: `The session ${sessionId}`, ms: runMs, fleet, sessions: [sessionId] }, async () => {
    const path = `${fleet.url}/agents/clerk/sessions/${sessionId}/commands`;
    const command = { type: 'send', id: 'once', message: { text: 'pay:a' }, options: {}, onBusy: 'queue' };
    const headers = { 'content-type': 'application/json' };
    const give = async (): Promise<void> => {
      const post = (): Promise<boolean> =>
        fetch(path, { method: 'POST', headers, body: JSON.stringify(command) }).then(
          ({ status }) => status === 202,
          () => false,
        );
      await until(post, 'the command is taken');
    };
    await Promise.all([give(), give(), give()]);
    const device = fleet.device(sessionId);
    await until(async () => {
      const known = await fetch(`${path}/once`).then(
        (response) => response.json(),
        () => ({}),
      );
      return (known as { readonly answer?: unknown }).answer !== undefined;
    }, 'the command is answered');
    await give();
    await checkRun(fleet, sessionId, [device], 'pay:a');
    await device.dispose();
  });
}

/** Ends one process after the other with SIGTERM, as a deploy does. @returns the number of those that did not end well */
export async function deploy(fleet: HostFleet, deploys: number, random: SeededRandom): Promise<number> {
  let bad = 0;
  for (let i = 0; i < deploys; i++) {
    const [member] = fleet.members;
    if (member === undefined) continue;
    await sleep(300 + random.below(700));
    if ((await fleet.end(member, 'SIGTERM')) !== 0) bad++;
    await fleet.full();
    await until(() => fleet.members.length > 2, 'the next process runs');
  }
  return bad;
}
