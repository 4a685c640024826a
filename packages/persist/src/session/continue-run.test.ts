import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool } from '@vitrine/core/internal/agent/tool';
import type { AgentDefinition, AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import {
  finalResponse,
  pendingApprovals,
  status,
  stopReason,
} from '@vitrine/core/internal/graph/agent-state/accessors';
import { stopRequested } from '@vitrine/core/internal/graph/stop-signal';
import { withStopSignal } from '@vitrine/core/internal/graph/agent-state/transitions';
import { spentOf } from '@vitrine/core/internal/graph/limits';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { replay } from '@vitrine/inspect/internal/replay/replay';
import { fold } from '@vitrine/core/internal/run/apply';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { heldTool, shownTexts, storedState } from '@vitrine/testing/internal/session.fixture';
import { simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { selectors } from '@vitrine/core/internal/session/conversation/selectors';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { toDocument } from '@vitrine/core/internal/graph/document/document';
import { stateShape } from '@vitrine/core/internal/graph/document/state-shape';

const runs = Number(process.env['PROVE_RUNS'] ?? 40);
const usage = { inputTokens: 10, outputTokens: 5, cost: 0.5 };
const stateOf = (session: AgentSession): AgentState => session.store.getState().state;

/** An agent whose model answers by the place of the question in the run, so that two processes can share it. */
type Counted = { readonly agent: AgentDefinition; readonly calls: () => number; readonly paid: string[] };

function countedAgent(init: Partial<AgentInit>, steps: number, needsApproval = false): Counted {
  const paid: string[] = [];
  let calls = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    input: z.object({ step: z.optional(z.number()) }),
    effects: 'once',
    needsApproval,
    execute(_input, { toolCallId }) {
      paid.push(toolCallId);
      return `paid ${paid.length}`;
    },
  });
  const entry: ScriptedEntry = ({ messages }) => {
    calls++;
    const results = messages.filter(({ role }) => role === 'tool').length;
    return results < steps
      ? { toolCalls: [{ name: 'pay', input: { step: results } }], usage }
      : { text: `All ${results}`, usage };
  };
  const kid = scriptedAgent(
    [
      { toolCalls: [{ name: 'pay', input: {} }], usage },
      { text: 'Kid', usage },
    ],
    {
      name: 'kid',
      tools: [pay],
    },
  );
  const agent = scriptedAgent([entry], { tools: [pay], subagents: [kid], ...init });
  return { agent, calls: () => calls, paid };
}

function open(agent: AgentDefinition, sessions = memorySessions()): AgentSession {
  return createAgentSession({ agent, publish: 'immediate', sessions, sessionId: 'a' });
}

/** Answers every waiting call until the turn is over. */
async function answered(session: AgentSession): Promise<void> {
  while (pendingApprovals(stateOf(session)).length > 0)
    await session.approve(pendingApprovals(stateOf(session))[0]!.id);
}

describe('a run that goes on after a limit', () => {
  it('the run keeps its id and its results, and no message is invented', async () => {
    const { agent, calls, paid } = countedAgent({ budget: { maxSteps: 2 } }, 3);
    const session = open(agent);
    await session.sendMessage('Pay three times');
    const stopped = stateOf(session).execution;
    expect([stopReason(stateOf(session)), calls(), paid.length]).toEqual(['steps-limit-reached', 2, 2]);
    const turn = await session.continueRun();
    expect(turn).toMatchObject({ kind: 'continue', status: 'done', outcome: 'completed', stored: true });
    const { execution, executionCount } = stateOf(session);
    expect(execution).toMatchObject({ executionId: stopped?.executionId, grants: { steps: 2 } });
    expect([executionCount, calls(), paid.length]).toEqual([1, 4, 3]);
    expect(finalResponse(stateOf(session))).toBe('All 3');
    expect(shownTexts(session)).toEqual(['Pay three times', '', '', '', 'All 3']);
    expect(execution?.continuation.overridden).toMatchObject([{ reason: 'steps-limit-reached' }]);
    expect(selectors.budget(session.store.getState()).steps).toEqual({ spent: 4, limit: 4, left: 0 });
  });

  it('the grant of the caller counts, and a run that it does not cover stops again', async () => {
    const { agent, calls } = countedAgent({ budget: { maxSteps: 1 } }, 5);
    const session = open(agent);
    await session.sendMessage('Pay');
    await session.continueRun({ grant: { steps: 3 } });
    expect([calls(), stopReason(stateOf(session))]).toEqual([4, 'steps-limit-reached']);
    await session.continueRun({ grant: { tokens: 5 } });
    expect([calls(), stopReason(stateOf(session))]).toEqual([4, 'steps-limit-reached']);
    expect(await session.continueRun({ grant: { steps: -1 } })).toMatchObject({
      status: 'refused',
      error: { code: 'budget-invalid' },
    });
    expect(await session.continueRun({ grant: { steps: 2 } })).toMatchObject({ outcome: 'completed' });
    expect(calls()).toBe(6);
  });

  it('the limit that is granted once more counts from what was spent, so an overshoot takes nothing of it', async () => {
    const { agent, calls } = countedAgent({ budget: { maxCost: 0.75 } }, 9);
    const session = open(agent);
    await session.sendMessage('Pay');
    expect([calls(), stopReason(stateOf(session))]).toEqual([2, 'cost-limit-reached']);
    await session.continueRun();
    expect([calls(), stateOf(session).execution?.grants]).toEqual([4, { cost: 1 }]);
    await session.continueRun();
    expect([calls(), stateOf(session).execution?.grants]).toEqual([6, { cost: 2 }]);
  });

  it('a run that ended by itself, or of which nothing can be granted, is not continued', async () => {
    const done = open(countedAgent({}, 1).agent);
    expect(await done.continueRun()).toMatchObject({ status: 'refused', error: { code: 'session-idle' } });
    await done.sendMessage('Pay');
    expect(await done.continueRun()).toMatchObject({ status: 'refused', error: { code: 'session-idle' } });
    const never = open(countedAgent({ budget: { maxSteps: 0 } }, 1).agent);
    await never.sendMessage('Pay');
    expect(await never.continueRun()).toMatchObject({ status: 'refused', error: { code: 'session-idle' } });
    const guard = defineHook({
      name: 'guard',
      on: 'after-step',
      run: (state) => withStopSignal(state, stopRequested({ message: 'Enough' })),
    });
    const guarded = open(countedAgent({ hooks: [guard] }, 2).agent);
    await guarded.sendMessage('Pay');
    expect(await guarded.continueRun()).toMatchObject({ status: 'refused' });
  });

  it('a run that a person stopped goes on, and the answer that was cut off is asked for again', async () => {
    let calls = 0;
    const agent = scriptedAgent([
      () => ({ text: calls++ === 0 ? 'Half an' : 'A whole answer', chunks: 4, delayMs: 2 }),
    ]);
    const session = open(agent);
    session.onEvent(({ type }) => {
      if (type === 'text-delta' && calls === 1) void session.stop();
    });
    expect(await session.sendMessage('Tell')).toMatchObject({ outcome: 'stopped' });
    expect(await session.continueRun()).toMatchObject({ outcome: 'completed' });
    expect(shownTexts(session)).toEqual(['Tell', 'A whole answer']);
    expect(stateOf(session).execution?.stepExecutions).toHaveLength(2);
  });

  it('a run whose retries were used up goes on', async () => {
    let calls = 0;
    const agent = scriptedAgent(
      [() => (calls++ < 2 ? { error: { message: 'busy', retryable: true } } : { text: 'There' })],
      { retry: { maxAttempts: 2, baseDelayMs: 0 } },
    );
    const session = open(agent);
    expect(await session.sendMessage('Hi')).toMatchObject({ stopReason: 'retry-limit-reached' });
    expect(await session.continueRun()).toMatchObject({ outcome: 'completed', error: null });
    expect([shownTexts(session), session.store.getState().error]).toEqual([['Hi', 'There'], null]);
  });

  it('the results of calls reach the model again when traces are kept apart', async () => {
    const { agent, calls } = countedAgent({ budget: { maxSteps: 2 }, toolTrace: 'separate' }, 3);
    const session = open(agent);
    await session.sendMessage('Pay');
    await session.continueRun();
    expect([calls(), finalResponse(stateOf(session))]).toEqual([4, 'All 3']);
  });

  it('two commands in one tick are granted once', async () => {
    const { agent, calls } = countedAgent({ budget: { maxSteps: 1 } }, 1);
    const session = open(agent);
    await session.sendMessage('Pay');
    const turns = await Promise.all([session.continueRun(), session.continueRun()]);
    expect(turns).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }]);
    expect([calls(), stateOf(session).execution?.grants]).toEqual([2, { steps: 1 }]);
  });

  it('a late command continues no later run', async () => {
    const { agent, calls } = countedAgent({ budget: { maxSteps: 1 } }, 9);
    const session = open(agent);
    await session.sendMessage('One');
    const next = session.sendMessage('Two');
    const late = session.continueRun();
    await next;
    expect(await late).toMatchObject({ status: 'refused' });
    expect(calls()).toBe(2);
  });

  it('a session of which another process has the run that was reopened resumes it', async () => {
    const store = memorySessions();
    const { agent, paid } = countedAgent({ budget: { maxSteps: 1 } }, 2);
    const first = open(agent, store);
    await first.sendMessage('Pay');
    await first.dispose();
    const held = heldTool('pay');
    const dying = open(
      scriptedAgent([{ toolCalls: [{ name: 'pay', input: 1 }] }], { tools: [held.tool] }),
      store,
    );
    void dying.continueRun();
    await vi.waitFor(() => expect(held.runs).toHaveLength(1));
    await dying.flush();
    expect((await storedState(store)).execution).toMatchObject({
      status: 'in-progress',
      grants: { steps: 1 },
    });
    const again = open(agent, store);
    await again.resume();
    expect(stateOf(again).execution?.grants).toEqual({ steps: 1 });
    expect(paid).toHaveLength(1);
  });

  it('the continued run can be replayed', async () => {
    const { agent } = countedAgent({ budget: { maxSteps: 1 } }, 2);
    const session = createAgentSession({ agent, publish: 'immediate', initialState: ask() });
    const events: AgentChange[] = [];
    await session.ready;
    const base = stateOf(session);
    session.onEvent((event) => void (event.seq !== null && events.push(event)));
    await session.sendMessage('Pay');
    await session.continueRun();
    await session.continueRun();
    expect(finalResponse(stateOf(session))).toBe('All 2');
    const document = {
      id: 'j',
      format: 1,
      base: toDocument('agent-state', base, stateShape, base.texts),
      events,
    };
    const replayed = await replay(
      JSON.parse(JSON.stringify(document)),
      countedAgent({ budget: { maxSteps: 1 } }, 2).agent,
    );
    expect(replayed.state).toEqual(stateOf(session));
    expect(replayed.modelCalls).toBe(3);
  });
});

const limit = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((maxSteps) => ({ budget: { maxSteps } })),
  fc.integer({ min: 1, max: 60 }).map((maxTokens) => ({ budget: { maxTokens, maxSteps: null } })),
  fc.integer({ min: 1, max: 4 }).map((halves) => ({ budget: { maxCost: halves / 2, maxSteps: null } })),
  fc.integer({ min: 1, max: 3 }).map((maxTotalSteps) => ({
    budget: { maxSteps: null },
    subagentPolicy: { maxTotalSteps },
  })),
  fc
    .record({ tokens: fc.integer({ min: 1, max: 60 }) })
    .map((sessionBudget) => ({ budget: { maxSteps: null }, sessionBudget })),
);

describe('the laws of runs that go on', () => {
  it('a run that goes on after any limit, over reloads and from other tabs, does everything once', async () => {
    const plan = fc.record({
      limit,
      steps: fc.integer({ min: 1, max: 5 }),
      needsApproval: fc.boolean(),
      how: fc.array(fc.constantFrom('once', 'twice', 'reload', 'other tab'), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ limit: init, steps, needsApproval, how }) => {
        const { agent, calls, paid } = countedAgent(init, steps, needsApproval);
        const store = memorySessions();
        const tabs = simulatedTabs([0], (ms) => new Promise((resolve) => setTimeout(resolve, ms)));
        const tab = (): { session: AgentSession; events: AgentChange[]; base: () => AgentState } => {
          const session = open(agent, { ...store, tabs: tabs.open().link });
          const events: AgentChange[] = [];
          session.onEvent((event) => void (event.seq !== null && events.push(event)));
          let base = stateOf(session);
          void session.ready.then(() => (base = stateOf(session)));
          return { session, events, base: () => base };
        };
        let { session } = tab();
        await session.sendMessage('Pay');
        await answered(session);
        const { executionId } = stateOf(session).execution!;
        const largest = usage.inputTokens + usage.outputTokens;
        for (let time = 0; status(stateOf(session)) === 'stopped' && time < 60; time++) {
          const way = how[time % how.length];
          if (way === 'reload') {
            await session.dispose();
            ({ session } = tab());
            await session.ready;
          }
          if (way === 'other tab') {
            const other = tab().session;
            await other.ready;
            await Promise.all([other.continueRun(), session.continueRun()]);
            await other.dispose();
          } else if (way === 'twice') await Promise.all([session.continueRun(), session.continueRun()]);
          else await session.continueRun();
          await answered(session);
          const granted = stateOf(session).execution?.grants?.tokens ?? 0;
          const tokens = spentOf(stateOf(session), 0).tokens;
          const own = 'maxTokens' in init.budget ? (init.budget.maxTokens ?? Infinity) : Infinity;
          const ofSession = 'sessionBudget' in init ? init.sessionBudget.tokens : Infinity;
          expect(tokens).toBeLessThan(Math.min(own, ofSession) + granted + largest);
        }
        const state = stateOf(session);
        expect([status(state), finalResponse(state)]).toEqual(['completed', `All ${steps}`]);
        expect([state.execution?.executionId, state.executionCount]).toEqual([executionId, 1]);
        // As many calls as without a limit, and each tool once.
        expect([calls(), paid.length, new Set(paid).size]).toEqual([steps + 1, steps, steps]);
        expect(spentOf(state, 0).tokens).toBe((steps + 1) * largest);
        expect((await storedState(store)).execution).toEqual(state.execution);
        await session.dispose();
      }),
      { numRuns: runs },
    );
  }, 60_000);

  it('the journal of a run that goes on folds to its state at every event', async () => {
    const plan = fc.record({ limit, steps: fc.integer({ min: 1, max: 4 }), delegates: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(plan, async ({ limit: init, steps, delegates }) => {
        const { agent, paid } = countedAgent(init, steps);
        const delegating = scriptedAgent(
          [
            { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Pay' } }], usage },
            ...Array.from({ length: steps }, () => ({ toolCalls: [{ name: 'pay', input: {} }], usage })),
            { text: 'Done', usage },
          ],
          { tools: agent.tools, subagents: agent.subagents.map(({ agent: kid }) => kid), ...init },
        );
        const session = createAgentSession({
          agent: delegates ? delegating : agent,
          publish: 'immediate',
          initialState: ask(),
        });
        await session.ready;
        let state = stateOf(session);
        session.onEvent((event, after) => {
          state = fold(state, [JSON.parse(JSON.stringify(event))]);
          expect(state).toEqual(after);
        });
        await session.sendMessage('Pay');
        for (let time = 0; status(stateOf(session)) === 'stopped' && time < 60; time++)
          await session.continueRun();
        expect(status(stateOf(session))).toBe('completed');
        expect(new Set(paid).size).toBe(paid.length);
        expect(stateOf(session).executionCount).toBe(1);
      }),
      { numRuns: runs },
    );
  }, 60_000);
});
