import { cleanup, screen, waitFor } from '@testing-library/react';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { defineAgent, defineTool } from '../../index.ts';
import { drawApprovals, press } from './approval-page.fixture.tsx';

afterEach(cleanup);

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  input: z.object({
    to: z.string().check(z.describe('Who gets it')),
    urgency: z.enum(['low', 'high']),
    copies: z.optional(z.int()),
  }),
  needsApproval: true,
  execute: ({ to }) => `Sent to ${to}`,
});

/** An agent that makes the given calls of the mail tool, one list a step, and records each recipient. */
function mailer(calls: readonly (readonly string[])[]) {
  const sent: string[] = [];
  const send = defineTool({
    name: 'send_mail',
    description: 'Sends a mail',
    input: z.object({ to: z.string() }),
    needsApproval: true,
    execute({ to }) {
      sent.push(to);
      return 'Sent';
    },
  });
  const steps = calls.map((people) =>
    people.length === 0
      ? { text: 'Done' }
      : { toolCalls: people.map((to) => ({ name: 'send_mail', input: { to } })) },
  );
  return { sent, agent: defineAgent({ name: 'a', inference: scriptedInference(steps), tools: [send] }) };
}

describe('a remembered approval', () => {
  it('an approval for the run ends with the answer, and the next answer asks again', async () => {
    const { agent, sent } = mailer([['a'], ['b'], [], ['c'], []]);
    const send = drawApprovals(agent);
    await send('Hi');
    await press('Always for this run');
    await waitFor(() => expect(sent).toEqual(['a', 'b']));
    await send('Again');
    await press('Approve');
    await waitFor(() => expect(sent).toEqual(['a', 'b', 'c']));
  });

  it('an approval for the session holds in the next answer too', async () => {
    const { agent, sent } = mailer([['a'], [], ['b'], []]);
    const send = drawApprovals(agent);
    await send('Hi');
    await press('Always for this session');
    await waitFor(() => expect(sent).toEqual(['a']));
    await send('Again');
    await waitFor(() => expect(sent).toEqual(['a', 'b']));
  });

  it('a remembered approval is listed, and a button makes the next call ask again', async () => {
    const { agent, sent } = mailer([['a'], [], ['b'], []]);
    const send = drawApprovals(agent);
    await send('Hi');
    expect(screen.queryByRole('list', { name: 'Answered without asking' })).toBeNull();
    await press('Always for this session');
    const list = await screen.findByRole('list', { name: 'Answered without asking' });
    expect(list.textContent).toMatch(/^send_mail runs without asking, in this session/);
    await waitFor(() => expect(sent).toEqual(['a']));
    await press('Ask about send_mail again');
    await waitFor(() => expect(list.isConnected).toBe(false));
    expect(document.activeElement).not.toBe(document.body);
    await send('Again');
    await press('Approve');
    await waitFor(() => expect(sent).toEqual(['a', 'b']));
  });
});

describe('several waiting calls', () => {
  it('one button approves all waiting calls', async () => {
    const { agent, sent } = mailer([['a', 'b', 'c'], []]);
    await drawApprovals(agent)('Hi');
    await press('Approve all 3');
    await waitFor(() => expect(sent.toSorted()).toEqual(['a', 'b', 'c']));
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('one button rejects all waiting calls, and none of them runs', async () => {
    const { agent, sent } = mailer([['a', 'b'], []]);
    await drawApprovals(agent)('Hi');
    await press('Reject all 2');
    await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
    expect(sent).toEqual([]);
  });

  it('a single waiting call has no buttons for all calls', async () => {
    await drawApprovals(mailer([['a'], []]).agent)('Hi');
    await screen.findByRole('button', { name: 'Approve' });
    expect(screen.queryByRole('button', { name: / all / })).toBeNull();
  });
});

it("a schema of zod/mini makes the form's fields, including those that the model left out", async () => {
  const inference = scriptedInference([
    { toolCalls: [{ name: 'send_mail', input: { to: 'ann', urgency: 'low' } }] },
    { text: 'Done' },
  ]);
  const agent = defineAgent({ name: 'a', inference, tools: [sendMail] });
  const send = drawApprovals(agent);
  await send('Hi');
  await press('Edit');
  const urgency = screen.getByLabelText<HTMLSelectElement>('urgency');
  expect([...urgency.options].map(({ value }) => value)).toEqual(['low', 'high']);
  expect(screen.getByText('Who gets it')).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>(/copies/).value).toBe('');
  expect(screen.getByText('(optional)')).toBeTruthy();
});
