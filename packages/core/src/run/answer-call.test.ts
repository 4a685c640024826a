import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../agent/tool.ts';
import * as AgentState from './agent-state.ts';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { createAgentLoop } from '../agent-loop/create-agent-loop.ts';

const tools = [
  defineTool({ name: 'ask', description: '', input: z.any(), needsApproval: true, execute: () => 1 }),
  defineTool({ name: 'ui', description: '', input: z.any() }),
];
const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true });

async function waiting(name: string) {
  const agent = scriptedAgent([{ toolCalls: [{ name, input: { a: 1 } }] }, { text: 'done' }], { tools });
  const loop = createAgentLoop(agent);
  const state = await loop.execute(ask());
  return { loop, state, id: AgentState.pendingApprovals(state)[0]?.id ?? openCall(state) };
}

function openCall(state: ReturnType<typeof ask>): string {
  return AgentState.currentStep(state)?.toolExecutions[0]?.id ?? '';
}

/** Asserts that the state can be saved, read and continued after any answer of a person. */
async function holds(loop: ReturnType<typeof createAgentLoop>, answered: ReturnType<typeof ask>) {
  for (const state of [answered, await loop.execute(answered)])
    expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
}

describe('an answer that holds values which JSON cannot represent', () => {
  it('an output that JSON cannot represent leaves a state that can be saved', () =>
    fc.assert(
      fc.asyncProperty(anything, async (output) => {
        const { loop, state, id } = await waiting('ui');
        await holds(loop, AgentState.withOutput(state, id, output as never));
      }),
    ));

  it('edited arguments that JSON cannot represent leave a state that can be saved', () =>
    fc.assert(
      fc.asyncProperty(anything, async (input) => {
        const { loop, state, id } = await waiting('ask');
        await holds(loop, AgentState.withApproval(state, id, { input: input as never }));
      }),
    ));

  it('a reason or a scope that JSON cannot represent leaves a state that can be saved', () =>
    fc.assert(
      fc.asyncProperty(anything, anything, async (reason, remember) => {
        const { loop, state, id } = await waiting('ask');
        const options = { reason: reason as never, remember: remember as never };
        await holds(loop, AgentState.withRejection(state, id, options));
      }),
    ));
});
