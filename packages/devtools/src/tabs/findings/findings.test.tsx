import { act, fireEvent, waitFor, within } from '@testing-library/react';
import { defineHook, defineTool } from '@vitrine/core';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { closePage, echoSession, openedPanel } from '../../devtools-page.fixture.tsx';

afterEach(closePage);

const meddler = defineHook({
  name: 'meddler',
  on: 'before-tool-use',
  run: (_state, ctx) => {
    const { toolCall } = ctx.fields;
    if (toolCall)
      ctx.replace('toolCall', { ...toolCall, input: { text: 'Atlantis', password: 'swordfish' } });
  },
});
const shout = defineTool({
  name: 'echo',
  description: 'Says it again',
  input: z.object({
    text: z.string().transform((text) => text.toUpperCase()),
    password: z.string().optional(),
  }),
  execute: ({ text }) => text,
});

describe('the findings of a run', () => {
  it('a hook that changed a call is a hint beside a green verdict, marked on the call, and explained in two clicks', async () => {
    const panel = await openedPanel();
    await act(async () => void (await echoSession(['one'], { hooks: [meddler] }).sendMessage('Go')));
    const strip = within(await panel.findByRole('group', { name: 'Findings' }));
    fireEvent.click(strip.getByRole('button', { name: '1 hint' }));
    const row = strip.getByRole('button', { name: /^hint Hook "meddler" replaced the arguments/ });
    expect(
      within(panel.getAllByRole('treeitem')[1]!).getByRole('img', {
        name: 'hint',
      }),
    ).toBeTruthy();
    fireEvent.click(row);
    const item = panel.getByText('Before').closest('.item') as HTMLElement;
    expect(item.dataset['found']).toBe('true');
    expect(item.textContent).toMatch(/Before.*one.*After.*Atlantis.*by meddler/s);
    expect(item.textContent).not.toContain('swordfish');
    expect(panel.getByText(/^It finished after 2 steps: /).dataset['fault']).toBe('hint');
  });

  it('the arguments that a tool got after its schema stand beside those that were given', async () => {
    const panel = await openedPanel();
    await act(async () => void (await echoSession(['one'], { tools: [shout] }).sendMessage('Go')));
    await panel.findByText(/^It finished after 2 steps/);
    fireEvent.click(
      panel.getAllByRole('treeitem').find((row: HTMLElement) => row.textContent?.includes('echo'))!,
    );
    fireEvent.click(panel.getByRole('tab', { name: 'Tools' }));
    expect(panel.getByText('Given').closest('.finding-card')?.textContent).toMatch(/Given.*one.*Got.*ONE/s);
  });

  it('the evidence of a finding is told in values, also that of a list of messages', async () => {
    const panel = await openedPanel();
    const session = echoSession(['one'], { compileMessages: () => [] });
    await act(async () => void (await session.sendMessage('Go')));
    const card = (await panel.findByText('messages-left-out')).closest('.finding-card');
    expect(card?.textContent).toMatch(/messages: \S+ user messages/);
    expect(card?.textContent).not.toContain('{"');
  });

  it('a healthy run has no findings and a verdict without a fault', async () => {
    const panel = await openedPanel();
    await act(async () => void (await echoSession(['one']).sendMessage('Go')));
    const verdict = await panel.findByText(/^It finished after 2 steps/);
    await waitFor(() => expect(verdict.getAttribute('aria-busy')).toBe('false'));
    expect(verdict.dataset['fault']).not.toBe('fault');
    expect(panel.queryByRole('img', { name: /fault|hint/ })).toBeNull();
  });
});
