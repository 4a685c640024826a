import { AgentState, defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HostedCommand } from '../host/session-host.ts';
import { withinRest } from './grant-limits.ts';

type Grants = Readonly<Record<string, number>>;

const startedAt = 1_000_000;
const ownMs = 60_000;
const own = { steps: 5, tokens: 1000, cost: 2 };
const agent = defineAgent({
  name: 'limited',
  inference: scriptedInference([]),
  budget: { maxSteps: own.steps, maxTokens: own.tokens, maxCost: own.cost, deadline: startedAt + ownMs },
});

/** The state of a run that a limit ended, with the grants that it has. */
function ended(reason: string, grants: Grants): AgentState {
  const signal = { reason, source: 'step-budget', message: '', context: {} };
  const execution = {
    startedAt,
    grants,
    stepExecutions: [],
    continuation: { stopSignals: [signal], stopReason: reason },
  };
  return { ...AgentState.create(), execution } as unknown as AgentState;
}

/** Grants as a run adds them: amounts together, and the later deadline. */
function added(before: Grants, grant: Grants): Grants {
  const sum = (name: string, more: number): number =>
    name === 'deadline' ? Math.max(before[name] ?? 0, more) : (before[name] ?? 0) + more;
  return {
    ...before,
    ...Object.fromEntries(Object.entries(grant).map(([name, more]) => [name, sum(name, more)])),
  };
}

const amount = fc.double({ min: 0, max: 1e12, noNaN: true });
const reason = fc.constantFrom(
  'steps-limit-reached',
  'token-limit-reached',
  'time-limit-reached',
  'cost-limit-reached',
);
const given = fc.record({
  waitsMs: fc.nat(10 * ownMs),
  reason,
  grant: fc.option(
    fc.record({ steps: amount, tokens: amount, cost: amount, deadline: amount }, { requiredKeys: [] }),
  ),
});

it('all grants of a run together give each limit of the agent once more, and its time once more from the first one', () => {
  fc.assert(
    fc.property(fc.array(given, { maxLength: 20 }), (course) => {
      let [now, grants]: [number, Grants] = [startedAt + ownMs, { steps: 0 }];
      let latest: number | null = null;
      for (const { waitsMs, reason: stopReason, grant } of course) {
        now += waitsMs;
        const command = { type: 'continue', id: 'c', grant, at: now } as unknown as HostedCommand;
        const allowed = withinRest(command, { agent, state: ended(stopReason, grants), now });
        grants = added(grants, (allowed.grant ?? {}) as Grants);
        if (grants['deadline'] !== undefined) latest ??= now + ownMs;
        for (const [name, most] of Object.entries(own)) expect(grants[name] ?? 0).toBeLessThanOrEqual(most);
        expect(grants['deadline'] ?? 0).toBeLessThanOrEqual(latest ?? 0);
      }
    }),
    { numRuns: Number(process.env['PROVE_RUNS'] ?? 200) },
  );
});
