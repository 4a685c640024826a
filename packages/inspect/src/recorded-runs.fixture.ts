import fc from 'fast-check';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent, AgentEventListener } from '@vitrine/core/internal/run/events';
import { createJournal, type Journal } from '@vitrine/core/internal/run/journal';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';
import { fakeTool } from '@vitrine/testing/internal/fake-tool';
import { ask, fixedEnv, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedStep } from '@vitrine/testing/internal/scripted-inference';

/** An event, and the state after it. */
export type EventWithState = { readonly event: AgentEvent; readonly state: AgentState };

const step: fc.Arbitrary<ScriptedStep> = fc.record(
  {
    text: fc.string({ minLength: 1, maxLength: 20 }),
    chunks: fc.integer({ min: 1, max: 6 }),
    reasoning: fc.string({ maxLength: 4 }),
    toolCalls: fc.array(
      fc
        .constantFrom('ok', 'bad', 'delegate')
        .map((name) => ({ name, input: name === 'delegate' ? { agent: 'kid', task: 'do' } : {} })),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['text'] },
);

/** The answers of a model, step by step. */
export const scripts = fc.array(step, { minLength: 1, maxLength: 5 });

/** Runs an agent twice with tools, a writing hook and a subagent, in one journal; returns all its events in order. */
export async function recordedRuns(
  steps: readonly ScriptedStep[],
  kidSteps: readonly ScriptedStep[],
  hear: (journal: Journal) => AgentEventListener = () => () => undefined,
): Promise<{ readonly journal: Journal; readonly told: readonly EventWithState[] }> {
  const env = fixedEnv();
  const tools = [fakeTool('ok', { a: 1 }), fakeTool('bad', () => Promise.reject(new Error('no')))];
  const hook = defineHook({
    name: 'notes',
    on: 'after-step',
    run: (state) => withMetadata(state, { seen: state.seq }),
  });
  const kid = scriptedAgent(kidSteps, { name: 'kid', tools, budget: { maxSteps: 2 } });
  const agent = scriptedAgent(steps, { tools, hooks: [hook], subagents: [kid], budget: { maxSteps: 5 } });
  const journal = createJournal(ask('Hello', env), { env });
  const told: EventWithState[] = [];
  journal.subscribe(hear(journal));
  journal.subscribe((event, state) => void told.push({ event, state }));
  for (let runs = 0; runs < 2; runs++) await runOnJournal({ agent, lease: journal.lease().lease, env });
  return { journal, told };
}
