import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import { messages } from '../graph/agent-state/accessors.ts';
import { scriptedInference } from '@vitrine/testing/internal/scripted-inference';
import { createAgentSession } from './create-agent-session.ts';

it('a message with undeclared data is refused, and other data is kept as its schema returns it', async () => {
  const agent = defineAgent({
    inference: scriptedInference([{ text: 'seen' }]),
    dataParts: { row: z.object({ n: z.number() }) },
  });
  const session = createAgentSession({ agent, publish: 'immediate' });
  for (const data of [{ row: { n: 'x' } }, { column: { n: 1 } }]) {
    const turn = await session.sendMessage({ text: 'Look', data });
    expect([turn.status, turn.error?.code]).toEqual(['refused', 'message-invalid']);
  }
  expect((await session.sendMessage({ text: 'Look', data: { row: { n: 1, more: 2 } } })).status).toBe('done');
  expect(messages(session.store.getState().state)[0]?.parts).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'data', name: 'row', data: { n: 1 } },
  ]);
});
