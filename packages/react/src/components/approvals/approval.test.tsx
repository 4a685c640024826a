import { cleanup, screen, waitFor } from '@testing-library/react';
import { scriptedInference } from '@vitrine/core/testing';
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

/** An agent whose every answer calls the tool as often as is said, one step after the other, and notes who got a mail. */
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

describe('an approval that is remembered', () => {
  it('for the run holds until the answer has ended, and is asked for in the next', async () => {
    const { agent, sent } = mailer([['a'], ['b'], [], ['c'], []]);
    const send = drawApprovals(agent);
    await send('Hi');
    await press('Always for this run');
    await waitFor(() => expect(sent).toEqual(['a', 'b']));
    await send('Again');
    await press('Approve');
    await waitFor(() => expect(sent).toEqual(['a', 'b', 'c']));
  });

  it('for the session holds in the next answer too', async () => {
    const { agent, sent } = mailer([['a'], [], ['b'], []]);
    const send = drawApprovals(agent);
    await send('Hi');
    await press('Always for this session');
    await waitFor(() => expect(sent).toEqual(['a']));
    await send('Again');
    await waitFor(() => expect(sent).toEqual(['a', 'b']));
  });

  it('is listed, and taken back with a button: the next call is asked about', async () => {
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

describe('where several calls wait', () => {
  it('all are approved with one button', async () => {
    const { agent, sent } = mailer([['a', 'b', 'c'], []]);
    await drawApprovals(agent)('Hi');
    await press('Approve all 3');
    await waitFor(() => expect(sent.toSorted()).toEqual(['a', 'b', 'c']));
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('all are rejected with one button, and none runs', async () => {
    const { agent, sent } = mailer([['a', 'b'], []]);
    await drawApprovals(agent)('Hi');
    await press('Reject all 2');
    await waitFor(() => expect(screen.queryByRole('button')).toBeNull());
    expect(sent).toEqual([]);
  });

  it('one that waits alone has no such buttons', async () => {
    await drawApprovals(mailer([['a'], []]).agent)('Hi');
    await screen.findByRole('button', { name: 'Approve' });
    expect(screen.queryByRole('button', { name: / all / })).toBeNull();
  });
});

it('a schema of zod/mini makes the fields of the form, those that are left out too', async () => {
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
