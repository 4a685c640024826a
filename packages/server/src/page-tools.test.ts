import { AgentState, type AgentSession, createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { pendingOf, serveClerk, textOf } from './served-clerk.fixture.ts';

it('a tool of the page is answered by any device, the first answer counts, and the other device is told so', async () => {
  const locate = defineTool({ name: 'locate', description: 'Asks the device', input: z.object({}) });
  const inference = scriptedInference([{ toolCalls: [{ name: 'locate', input: {} }] }, { text: 'Found' }]);
  const served = await serveClerk({
    agents: { clerk: defineAgent({ name: 'clerk', inference, tools: [locate] }) },
  });
  const device = (): AgentSession => {
    const { agents, sessions } = served.remoteOf();
    const session = createAgentSession({
      agent: agents.clerk,
      sessions,
      sessionId: 's1',
      publish: 'immediate',
    });
    onTestFinished(async () => void (await session.dispose()));
    void session.ready;
    return session;
  };
  expect(await served.remoteOf().describe()).toMatchObject([{ pageTools: ['locate'] }]);
  const [laptop, phone] = [device(), device()];
  expect(await laptop.sendMessage('Where am I?')).toMatchObject({ status: 'awaiting-input' });
  await expect.poll(() => pendingOf(phone)).toHaveLength(1);
  const [id = ''] = pendingOf(phone);
  const turns = await Promise.all([phone.respond(id, 'at home'), laptop.respond(id, 'at work')]);
  expect(turns.map(({ status }) => status).toSorted()).toEqual(['done', 'refused']);
  const said = turns[0]?.status === 'done' ? 'at home' : 'at work';
  for (const { store } of [laptop, phone])
    await expect
      .poll(() => AgentState.steps(store.getState().state)[0]?.toolExecutions)
      .toMatchObject([{ status: 'completed', result: said }]);
  await expect.poll(() => textOf(phone)).toContain('Found');
});
