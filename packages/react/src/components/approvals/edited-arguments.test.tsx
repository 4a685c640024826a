import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { JsonObject } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool } from '../../index.ts';
import { drawApprovals, press } from './approval-page.fixture.tsx';

afterEach(cleanup);

/** Opens the form of a call with this input. Returns a list that collects the inputs of the tool's runs. */
async function edit(schema: z.ZodType<object>, input: JsonObject): Promise<readonly object[]> {
  const ran: object[] = [];
  const tool = defineTool({
    name: 'mail',
    description: 'Sends a mail',
    input: schema,
    needsApproval: true,
    execute(value) {
      ran.push(value);
      return 'Sent';
    },
  });
  const inference = scriptedInference([{ toolCalls: [{ name: 'mail', input }] }, { text: 'Done' }]);
  const agent = defineAgent({ name: 'a', inference, tools: [tool] });
  await drawApprovals(agent)('Hi');
  await press('Edit');
  return ran;
}

const approve = (): Promise<void> => press('Approve with these changes');

it("an unchanged argument keeps the model's value, even an empty text", async () => {
  const schema = z.object({ to: z.string(), note: z.string().default('Hello'), tags: z.array(z.string()) });
  const ran = await edit(schema, { to: 'ann', note: '', tags: [] });
  fireEvent.change(screen.getByLabelText('to'), { target: { value: 'bob' } });
  await approve();
  await waitFor(() => expect(ran).toEqual([{ to: 'bob', note: '', tags: [] }]));
});

it('the values of a call and the errors of its form have the names of their fields', async () => {
  const schema = z.object({ to: z.email().meta({ title: 'Recipient' }), dueDays: z.number() });
  await edit(schema, { to: 'ann@example.org', dueDays: 3 });
  await press('Cancel');
  expect(screen.getByRole('group', { name: 'dueDays' }).textContent).toBe('3');
  await press('Edit');
  fireEvent.change(screen.getByLabelText('due days'), { target: { value: 'soon' } });
  await approve();
  await screen.findByText('Enter a number for “due days”.');
  fireEvent.change(screen.getByLabelText('due days'), { target: { value: '5' } });
  fireEvent.change(screen.getByLabelText('Recipient'), { target: { value: 'nobody' } });
  await approve();
  await screen.findByText('Recipient: Invalid email address');
});

it('an emptied argument is left out when it is optional', async () => {
  const schema = z.object({ to: z.string(), note: z.string().optional() });
  const ran = await edit(schema, { to: 'ann', note: 'Hi' });
  fireEvent.change(screen.getByLabelText(/note/), { target: { value: '' } });
  await approve();
  await waitFor(() => expect(ran).toEqual([{ to: 'ann' }]));
});

it('the form shows the error of a schema that throws, and stays open', async () => {
  const isKnown = (name: string): boolean => {
    if (name === 'bob') throw new Error('The list of people cannot be read.');
    return true;
  };
  const ran = await edit(z.object({ to: z.string().refine(isKnown) }), { to: 'ann' });
  fireEvent.change(screen.getByLabelText('to'), { target: { value: 'bob' } });
  await approve();
  await screen.findByText('The list of people cannot be read.');
  fireEvent.change(screen.getByLabelText('to'), { target: { value: 'eve' } });
  await approve();
  await waitFor(() => expect(ran).toEqual([{ to: 'eve' }]));
});

it('a call without arguments has a form too, and the form gets the focus', async () => {
  const ran = await edit(z.object({}), {});
  expect(document.activeElement).not.toBe(document.body);
  await approve();
  await waitFor(() => expect(ran).toEqual([{}]));
});
