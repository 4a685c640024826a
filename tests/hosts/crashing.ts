import assert from 'node:assert/strict';
import { checkRun, withLimit } from './check-run.ts';
import type { HostFleet } from './host-fleet.ts';

/** The deaths in a row after which a host ends a session as failed, by default. */
const mostDeaths = 3;
const limitMs = 600_000;
const others = 'pay:a look:b say:20';
let count = 0;

/** Runs a session whose tool ends its process each time, beside two that do not. It ends with a sentence, they complete. */
export async function crash(fleet: HostFleet): Promise<void> {
  const [crashing, ...well] = ['bad', 'one', 'two'].map((name) => `crash-${process.pid}-${count}-${name}`);
  count++;
  assert(crashing !== undefined);
  const what = `The session ${crashing} whose tool ends its process`;
  await withLimit({ what, ms: limitMs, fleet, sessions: [crashing, ...well] }, async () => {
    const device = fleet.device(crashing);
    const [turn] = await Promise.all([
      device.sendMessage('look:a exit:x pay:b'),
      ...well.map(async (id) => {
        const other = fleet.device(id);
        assert.equal((await other.sendMessage(others)).outcome, 'completed', id);
        await checkRun(fleet, id, [other], others);
        await other.dispose();
      }),
    ]);
    assert.deepEqual([turn.outcome, turn.error?.code], ['failed', 'session-crashed'], what);
    assert.match(turn.error?.message ?? '', /ended their process several times.*send again\.$/);
    const deeds = fleet.deeds(crashing);
    assert.equal(deeds.filter((deed) => deed === 'exit x').length, mostDeaths, `${what}: its deaths`);
    assert(!deeds.includes('pay b'), `${what}: it paid after its end.`);
    // The next message begins a new run.
    assert.equal((await device.sendMessage('look:c')).outcome, 'completed', what);
    await device.dispose();
    await fleet.full();
  });
}
