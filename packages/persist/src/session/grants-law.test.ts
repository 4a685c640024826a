import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withGrant } from '@vitrine/core/internal/graph/execution-budget';
import { addGrant } from '@vitrine/core/internal/graph/grants';
import { type ExecutionBudget, spentOf } from '@vitrine/core/internal/graph/limits';
import type { AgentState, Grant } from '@vitrine/core/internal/graph/types';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { selectors } from '@vitrine/core/internal/session/conversation/selectors';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 40);
const usage = { inputTokens: 10, outputTokens: 5, cost: 0.5 };
const callTokens = usage.inputTokens + usage.outputTokens;
const stateOf = (session: AgentSession): AgentState => session.store.getState().state;

type Command =
  | { readonly type: 'send' | 'edit' | 'regenerate' | 'reload' }
  | { readonly type: 'continue'; readonly grant: Grant };

const halves = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max }).map((count) => count / 2);

const plans = fc.record({
  words: fc.array(fc.constantFrom('pay', 'pay', 'delegate', 'answer'), { minLength: 1, maxLength: 8 }),
  budget: fc.record({
    maxSteps: fc.integer({ min: 1, max: 6 }),
    maxTokens: fc.integer({ min: 1, max: 80 }),
    maxCost: halves(6),
  }),
  kidTokens: fc.integer({ min: 1, max: 40 }),
  commands: fc.array(
    fc.oneof(
      fc.constantFrom('send', 'edit', 'regenerate', 'reload').map((type) => ({ type }) as Command),
      fc
        .record(
          { steps: fc.integer({ min: 0, max: 9 }), tokens: fc.integer({ min: 0, max: 90 }), cost: halves(9) },
          { requiredKeys: [] },
        )
        .map((grant): Command => ({ type: 'continue', grant })),
    ),
    { minLength: 2, maxLength: 8 },
  ),
});

/** Pays, delegates and answers by turns. Its subagent always pays. */
function spender(
  words: readonly string[],
  budget: Partial<ExecutionBudget>,
  kidTokens: number,
): AgentDefinition {
  let calls = 0;
  const pay: ScriptedStep = { toolCalls: [{ name: 'pay', input: {} }], usage };
  const answers: Readonly<Record<string, ScriptedStep>> = {
    delegate: { toolCalls: [{ name: 'delegate', input: { agent: 'kid', task: 'Pay' } }], usage },
    answer: { text: 'Done', usage },
  };
  const tools = [fakeTool('pay', 'paid')];
  const kid = scriptedAgent([pay], { name: 'kid', tools, budget: { maxTokens: kidTokens } });
  return scriptedAgent([() => answers[words[calls++ % words.length]!] ?? pay], {
    tools,
    subagents: [kid],
    budget,
  });
}

/** The tokens of each subagent of a run. */
function tokensOfKids(state: AgentState): number[] {
  const kids = steps(state).flatMap(({ toolExecutions }) =>
    toolExecutions.flatMap(({ childState }) => childState ?? []),
  );
  return kids.map((kid) => spentOf(kid, 0).tokens);
}

function expectWithin(state: AgentState, budget: ExecutionBudget): void {
  const { steps: taken, tokens, cost } = spentOf(state, 0);
  expect(taken).toBeLessThanOrEqual(budget.maxSteps!);
  expect(tokens).toBeLessThan(budget.maxTokens! + callTokens);
  expect(cost).toBeLessThan(budget.maxCost! + usage.cost);
}

describe('the law of grants', () => {
  it('a run spends less than one call above its budget and its own grants, over earlier grants, edits and reloads', async () => {
    const property = fc.asyncProperty(plans, async ({ words, budget, kidTokens, commands }) => {
      const sessions = memorySessions();
      const agent = spender(words, budget, kidTokens);
      const open = (): AgentSession =>
        createAgentSession({ agent, publish: 'immediate', sessions, sessionId: 'a' });
      let session = open();
      const granted = new Map<string, Grant>();
      const runId = (): string => stateOf(session).execution?.executionId ?? '';
      const lastOf = (role: string): string =>
        selectors.messages(stateOf(session)).findLast((message) => message.role === role)?.id ?? '';
      await session.sendMessage('Pay');
      for (const command of commands) {
        if (command.type === 'send') await session.sendMessage('More');
        else if (command.type === 'edit') await session.edit(lastOf('user'), 'Other');
        else if (command.type === 'regenerate') await session.regenerate(lastOf('assistant'));
        else if (command.type === 'continue') {
          const { grant } = command;
          const id = runId();
          const { status } = await session.continueRun({ grant });
          if (status !== 'refused') granted.set(id, addGrant(granted.get(id), grant));
        } else {
          await session.dispose();
          session = open();
          await session.ready;
        }
        expectWithin(stateOf(session), withGrant({ ...agent.budget, ...budget }, granted.get(runId())));
        for (const tokens of tokensOfKids(stateOf(session)))
          expect(tokens).toBeLessThan(kidTokens + callTokens);
      }
      await session.dispose();
    });
    await fc.assert(property, { numRuns });
  });
});
