import { AgentState, defineAgent, defineTool, runAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { waitEndOf } from './waiting-calls.ts';

/** The state of a run that waits for approval, with the end of its wait. */
async function waitingAt(deadline: number | null, granted?: number): Promise<number | undefined> {
  const tool = defineTool({
    name: 'file',
    description: 'Files a letter',
    input: z.object({}),
    needsApproval: true,
    execute: () => 'filed',
  });
  const inference = scriptedInference([{ toolCalls: [{ name: 'file', input: {} }] }]);
  const agent = defineAgent({ name: 'clerk', inference, tools: [tool], budget: { deadline } });
  const { state } = await runAgent(agent, 'Hi');
  const { execution } = state;
  expect([AgentState.status(state), execution?.waitingSince]).toEqual(['in-progress', expect.any(Number)]);
  const grants = granted === undefined ? {} : { grants: { deadline: granted } };
  return waitEndOf({ ...state, execution: execution && { ...execution, ...grants } }, Infinity)?.at;
}

const later = Date.now() + 3_600_000;

it.each([
  ['its deadline without a grant', later, undefined, later],
  ['its deadline when an earlier one was granted', later, later - 1_800_000, later],
  ['the granted deadline when that is later', later, later + 1000, later + 1000],
  ['no time when it has no deadline, whatever was granted', null, later, undefined],
])('the wait of a run ends at %s', async (_end, deadline, granted, at) => {
  expect(await waitingAt(deadline, granted)).toBe(at);
});
