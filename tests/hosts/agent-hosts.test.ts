import { describe, expect, it, onTestFinished } from 'vitest';
import { crash } from './crashing.ts';
import { type HostFleet, startHostFleet } from './host-fleet.ts';
import { runWithKill } from './kill-points.ts';
import type { HostKind } from './open-host.ts';

const timeout = 300_000;

async function startFleet(kind: HostKind, processes: number): Promise<HostFleet | null> {
  const fleet = await startHostFleet({ kind, processes, paceMs: 2 });
  if (fleet !== null) onTestFinished(() => fleet.stop());
  fleet?.keepFull();
  return fleet;
}

describe('an agent with five tools, two subagents and an approval, over HTTP', () => {
  it('a run goes on after a kill at each kind of point, with SQLite', { timeout }, async () => {
    const fleet = await startFleet('sqlite', 1);
    if (fleet === null) return;
    const { points } = await runWithKill(fleet, Infinity);
    const kinds = [...new Set(points)];
    expect(kinds.length).toBeGreaterThan(7);
    // Not the first of a kind: its neighbours are the start of the session.
    for (const kind of kinds) {
      const places = points.flatMap((name, i) => (name === kind ? [i + 1] : []));
      await runWithKill(fleet, places[Math.floor(places.length / 2)] ?? 1);
    }
  });

  it(
    'a session whose runs end their process ends with a sentence, and the others go on',
    { timeout },
    async () => {
      const fleet = await startFleet('sqlite', 1);
      if (fleet !== null) await crash(fleet);
    },
  );

  it(
    'a run is the same on all devices and in the database, and one that ends its processes is ended, over DBOS',
    { timeout },
    async ({ skip }) => {
      const fleet = await startFleet('dbos', 2);
      if (fleet === null) return skip('there is no PostgreSQL on this machine');
      const { points } = await runWithKill(fleet, Infinity);
      await runWithKill(fleet, Math.floor(points.length / 2));
      await crash(fleet);
    },
  );
});
