import { act, cleanup, render, screen } from '@testing-library/react';
import { scriptedInference } from '@vitrine/core/testing';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { AgentSession, defineAgent, defineTool, useAgentSession } from '../../index.ts';
import { Approvals } from './approvals.tsx';

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

it('a schema of zod/mini makes the fields of the form, those that are left out too', async () => {
  const inference = scriptedInference([
    { toolCalls: [{ name: 'send_mail', input: { to: 'ann', urgency: 'low' } }] },
    { text: 'Done' },
  ]);
  const agent = defineAgent({ name: 'a', inference, tools: [sendMail] });
  let send: (text: string) => Promise<unknown> = async () => undefined;
  const Page = (): null => {
    send = useAgentSession().sendMessage;
    return null;
  };
  render(
    <AgentSession agent={agent}>
      <Page />
      <Approvals />
    </AgentSession>,
  );
  await act(
    async () => void (await Promise.race([send('Hi'), screen.findByRole('button', { name: 'Edit' })])),
  );
  await act(async () => (await screen.findByRole('button', { name: 'Edit' })).click());
  const urgency = screen.getByLabelText<HTMLSelectElement>('urgency');
  expect([...urgency.options].map(({ value }) => value)).toEqual(['low', 'high']);
  expect(screen.getByText('Who gets it')).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>(/copies/).value).toBe('');
  expect(screen.getByText('(optional)')).toBeTruthy();
});
