import assert from 'node:assert/strict';
import { AgentState, Conversation } from '@vitrine/core';
import { checkRun, withLimit } from './check-run.ts';
import type { HostFleet } from './host-fleet.ts';

const limitMs = 1_800_000;
const script = 'pay:a look:b say:40';

/** Milliseconds from sending to the first text on the device, of each session. */
export async function crowd(fleet: HostFleet, sessions: number): Promise<readonly number[]> {
  const ids = Array.from({ length: sessions }, (_, i) => `crowd-${process.pid}-${i}`);
  const what = `The run of ${sessions} sessions at once`;
  return withLimit({ what, ms: limitMs, fleet, sessions: ids }, async () => {
    const states = new Set<string>();
    const times = await Promise.all(
      ids.map(async (id) => {
        const device = fleet.device(id);
        const at = performance.now();
        let firstMs: number | null = null;
        device.store.subscribe(({ state }) => {
          const last = Conversation.messages(state).at(-1);
          if (firstMs === null && last?.role === 'assistant' && last.parts.length > 0)
            firstMs = performance.now() - at;
        });
        const turn = await device.sendMessage(script);
        assert.equal(turn.outcome, 'completed', id);
        await checkRun(fleet, id, [device], script);
        const { state } = device.store.getState();
        states.add(JSON.stringify(AgentState.messages(state).map(({ role, parts }) => [role, parts.length])));
        await device.dispose();
        return firstMs ?? Number.NaN;
      }),
    );
    assert.equal(states.size, 1, 'The sessions are not equal.');
    return times;
  });
}
