import { act, fireEvent, waitFor, within } from '@testing-library/react';
import { type AgentInit, AgentState, defineHook, defineTool, Message } from '@vitrine/core';
import { checkCase } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { closePage, echoSession, openedPanel } from '../../devtools-page.fixture.tsx';
import { proposeExpectations } from './propose-expectations.ts';

afterEach(closePage);

/** Drops the person's name on its way to the model. */
const dropping = defineHook({
  name: 'save-tokens',
  on: 'before-inference',
  run(_state, ctx) {
    const { request } = ctx.fields;
    if (request === undefined) return;
    const messages = request.messages.filter((one) => !Message.text(one).includes('Ada'));
    ctx.replace('request', { ...request, messages });
  },
});

/** Opens the tab of an agent that forgets a name. */
async function openCause(asked: { count: number } = { count: 0 }, init: Partial<AgentInit> = {}) {
  const panel = await openedPanel();
  const inference = scriptedInference([
    ({ messages }) => {
      asked.count++;
      const knows = messages.some((one) => Message.text(one).includes('Ada'));
      return { text: knows ? 'You are Ada.' : 'I do not know you.' };
    },
  ]);
  const session = echoSession([], { inference, hooks: [dropping], tools: [], ...init });
  await act(() => session.sendMessage('Hi, I am Ada.'));
  await act(() => session.sendMessage('Who am I?'));
  await panel.findByText('run 2');
  fireEvent.click(panel.getByRole('tab', { name: 'Cause' }));
  const line = await panel.findByLabelText('What should the agent do?');
  fireEvent.change(line, { target: { value: 'it knows the name' } });
  return panel;
}

describe('the Cause tab', () => {
  it('a line becomes an expectation, and two clicks name the hook that breaks it', async () => {
    const panel = await openCause();
    const means = (await panel.findByLabelText('That means')) as HTMLSelectElement;
    expect(means.selectedOptions[0]?.textContent).toBe('it says "Ada"');
    const runs = within(panel.getByRole('list', { name: 'Recorded runs' }));
    expect(await runs.findByText('Run 2: not as expected. It does not say "Ada".')).toBeTruthy();
    fireEvent.click(panel.getByRole('button', { name: 'Find out why' }));
    await panel.findByText(/with one of \d+ changes at a time: up to \d+ model calls/);
    fireEvent.click(panel.getByRole('button', { name: 'Run the experiment' }));
    const sentence = 'With hook `save-tokens` off it knows the name: 5 of 5. As it was: 0 of 5.';
    expect(await panel.findByText(sentence)).toBeTruthy();
    const row = within(panel.getByRole('row', { name: /hook `save-tokens` off/ }));
    expect(row.getByText('5 of 5')).toBeTruthy();
    fireEvent.click(panel.getByRole('tab', { name: 'Run' }));
    fireEvent.click(panel.getByRole('tab', { name: 'Cause' }));
    expect(await panel.findByText(sentence)).toBeTruthy();
  });

  it('a prompt that the person edits is tried beside the proposed changes', async () => {
    const panel = await openCause();
    await panel.findByLabelText('That means');
    fireEvent.click(panel.getByRole('button', { name: 'Find out why' }));
    const proposed = /with one of (\d+) changes/.exec(
      (await panel.findByText(/with one of \d+/)).textContent!,
    )?.[1];
    fireEvent.change(panel.getByLabelText('New value'), { target: { value: 'The person is Ada.' } });
    fireEvent.click(panel.getByRole('button', { name: 'Try it too' }));
    await panel.findByText(new RegExp(`with one of ${Number(proposed) + 1} changes`));
    fireEvent.click(panel.getByRole('button', { name: 'Run the experiment' }));
    await panel.findByText(/^With hook `save-tokens` off it knows the name: 5 of 5/);
    const row = within(panel.getByRole('row', { name: /^system prompt: The person is Ada\./ }));
    expect(row.getByText('0 of 1')).toBeTruthy();
  });

  it('a description of a tool and a result that the person edits are tried too', async () => {
    const shy = defineTool({
      name: 'look',
      description: 'Shows what is there, without names.',
      input: z.object({}),
      execute: () => 'nobody',
    });
    const inference = scriptedInference([
      ({ messages, tools }) => {
        const seen = JSON.stringify([messages.at(-1)?.parts, tools]);
        if (messages.at(-1)?.role === 'user') return { toolCalls: [{ name: 'look', input: {} }] };
        return { text: /"Eve"|aloud/.test(seen) ? 'You are Ada.' : 'I do not know you.' };
      },
    ]);
    const panel = await openCause(undefined, { inference, hooks: [], tools: [shy] });
    await panel.findByLabelText('That means');
    fireEvent.click(panel.getByRole('button', { name: 'Find out why' }));
    const choice = await panel.findByLabelText(/^Edit/);
    const write = async (what: string, text: string) => {
      const { value } = within(choice).getByRole<HTMLOptionElement>('option', { name: what });
      fireEvent.change(choice, { target: { value } });
      fireEvent.change(panel.getByLabelText('New value'), { target: { value: text } });
      fireEvent.click(panel.getByRole('button', { name: 'Try it too' }));
    };
    await write('description of look', 'Says names aloud.');
    await panel.findByText('Change something yourself (1)');
    await write('result of look', '"Eve"');
    await panel.findByText('Change something yourself (2)');
    fireEvent.change(panel.getByLabelText('Most model calls'), { target: { value: '90' } });
    fireEvent.click(panel.getByRole('button', { name: 'Run the experiment' }));
    await panel.findByText(/^With description of look: Says names aloud\. it knows the name: \d+ of/);
    const given = within(panel.getByRole('row', { name: /^result of look: Eve/ }));
    expect(given.getByText(/^(\d+) of \1$/)).toBeTruthy();
  });

  it('a model is asked only after the person agrees, and a cap of 0 and a wrong expectation are sentences', async () => {
    const asked = { count: 0 };
    const panel = await openCause(asked);
    await panel.findByLabelText('That means');
    const before = asked.count;
    fireEvent.change(panel.getByLabelText('The expectation as JSON'), {
      target: { value: '{"asksAtMost":0}' },
    });
    fireEvent.click(panel.getByRole('button', { name: 'Find out why' }));
    expect((await panel.findByRole('alert')).textContent).toContain('No run can meet it');
    fireEvent.change(panel.getByLabelText('The expectation as JSON'), {
      target: { value: '{"says":"Ada"}' },
    });
    fireEvent.click(panel.getByRole('button', { name: 'Find out why' }));
    fireEvent.change(await panel.findByLabelText('Most model calls'), { target: { value: '0' } });
    fireEvent.click(panel.getByRole('button', { name: 'Run the experiment' }));
    await waitFor(() =>
      expect(panel.getByRole('status').textContent).toBe('The cap allows no call, so nothing was tried.'),
    );
    expect(asked.count).toBe(before);
  });

  it('a run is kept as a case with what was chosen, and red cases are told', async () => {
    const kept = vi.fn();
    const list = [
      { name: 'it-mails', met: false, sentence: 'It does not call mail.', since: Date.now() },
      { name: 'it-greets', met: true, sentence: 'It greets.' },
    ];
    Object.assign(globalThis, { vitrineCases: { list, keep: kept } });
    try {
      const panel = await openCause();
      const sentence = /^2 cases, 1 red since \d\d:\d\d$/;
      expect((await panel.findByText(sentence, { selector: '.sentence' })).dataset['red']).toBe('true');
      fireEvent.click(panel.getByRole('tab', { name: 'Run' }));
      fireEvent.click(panel.getByRole('button', { name: sentence }));
      expect(panel.getByText('it-mails: not as expected. It does not call mail.')).toBeTruthy();
      await panel.findByLabelText('That means');
      fireEvent.click(panel.getByRole('button', { name: 'Keep as case' }));
      const [name, file] = kept.mock.calls[0] as [string, string];
      expect(name).toBe('it knows the name');
      expect(await checkCase(file)).toMatchObject({ met: false, sentence: 'It does not say "Ada".' });
    } finally {
      Reflect.deleteProperty(globalThis, 'vitrineCases');
    }
  });
});

it('a line is read with its quotes, negations, tools and figures', async () => {
  const run = AgentState.withMessages(AgentState.create(), [Message.user('Mail to Bob, please.')]);
  const first = async (line: string) => (await proposeExpectations(line, run, ['send_mail']))[0];
  expect(await first('it should say "Good day"')).toMatchObject({ says: 'Good day' });
  expect(await first('it must never mail strangers')).toMatchObject({ neverCalls: { tool: 'send_mail' } });
  expect(await first('it should ask at most 3 times')).toMatchObject({ asksAtMost: 3 });
  expect(await first('it costs at most 0.5 $')).toMatchObject({ costsAtMost: 0.5 });
  expect((await proposeExpectations('it is kind', run, [])).at(-1)).toEqual({
    judge: 'it is kind',
    title: 'it is kind',
  });
});
