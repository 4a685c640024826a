import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { JsonObject } from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool } from '../../index.ts';
import { drawApprovals, press } from './approval-page.fixture.tsx';

afterEach(cleanup);

/** Opens the form of a call with this input; gives what the tool was run with. */
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

it('what nobody changed is what the model gave: an empty text is not left out', async () => {
  const schema = z.object({ to: z.string(), note: z.string().default('Hello'), tags: z.array(z.string()) });
  const ran = await edit(schema, { to: 'ann', note: '', tags: [] });
  fireEvent.change(screen.getByLabelText('to'), { target: { value: 'bob' } });
  await approve();
  await waitFor(() => expect(ran).toEqual([{ to: 'bob', note: '', tags: [] }]));
});

it('what is emptied is left out where it may be', async () => {
  const schema = z.object({ to: z.string(), note: z.string().optional() });
  const ran = await edit(schema, { to: 'ann', note: 'Hi' });
  fireEvent.change(screen.getByLabelText(/note/), { target: { value: '' } });
  await approve();
  await waitFor(() => expect(ran).toEqual([{ to: 'ann' }]));
});

it('a schema that throws is told in the form, which stays', async () => {
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

it('a call that takes nothing has a form all the same, which gets the focus', async () => {
  const ran = await edit(z.object({}), {});
  expect(document.activeElement).not.toBe(document.body);
  await approve();
  await waitFor(() => expect(ran).toEqual([{}]));
});
