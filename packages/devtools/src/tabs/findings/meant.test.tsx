import { act, fireEvent, within } from '@testing-library/react';
import { defineHook, defineTool, type Hook } from '@vitrine/core';
import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import * as page from '../../devtools-page.fixture.tsx';

type Page = typeof page;
type Panel = Awaited<ReturnType<Page['openedPanel']>>;

const writeText = vi.fn<(text: string) => Promise<void>>();

beforeEach(() => {
  writeText.mockReset().mockResolvedValue();
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
});

afterEach(async () => {
  await page.closePage();
  vi.unstubAllGlobals();
});

/** Two hooks that change the call and its result, so that a run has two hints. A hint is meant by its hook on a page. */
const hooksOf = (owner: string): readonly Hook[] => [
  defineHook({
    name: `meddler of ${owner}`,
    on: 'before-tool-use',
    run: (_state, { fields: { toolCall }, replace }) => {
      if (toolCall?.name === 'echo') replace('toolCall', { ...toolCall, input: { text: 'Atlantis' } });
    },
  }),
  defineHook({
    name: `mask of ${owner}`,
    on: 'after-tool-use',
    run: (_state, { fields: { execution }, replace }) => {
      if (execution?.toolCall.name === 'echo') replace('execution', { ...execution, result: '[hidden]' });
    },
  }),
];

/** Opens the list of findings whose button has a name, and returns it. */
async function openedStrip(panel: Panel, counts: string): Promise<Panel> {
  const strip = within(await panel.findByRole('group', { name: 'Findings' }));
  fireEvent.click(await strip.findByRole('button', { name: counts }));
  return strip;
}

async function panelAfterRun({ openedPanel, echoSession }: Page, owner: string): Promise<Panel> {
  const panel = await openedPanel();
  const session = echoSession(['one'], { hooks: hooksOf(owner) });
  await act(async () => void (await session.sendMessage('Go')));
  return panel;
}

it('"Meant" copies the line for the code, and folds and counts the hint', async () => {
  const panel = await panelAfterRun(page, 'fold');
  const strip = await openedStrip(panel, '2 hints');
  expect(strip.getAllByRole('button', { name: 'Meant' }).map((button: HTMLElement) => button.title)).toEqual([
    "Folds this hint, and copies expects: ['call-changed'], for the code of meddler of fold",
    "Folds this hint, and copies expects: ['tool-result-changed'], for the code of mask of fold",
  ]);
  fireEvent.click(strip.getAllByRole('button', { name: 'Meant' })[1]!);
  expect(writeText.mock.calls).toEqual([["expects: ['tool-result-changed'],"]]);
  expect(strip.getAllByRole('button', { name: 'Meant' })).toHaveLength(1);
  fireEvent.click(strip.getByRole('button', { name: 'Fewer' }));
  expect(strip.getByRole('button', { name: '1 hint · 1 expected' })).toBeTruthy();
  expect(strip.queryByRole('button', { name: /Hook "mask/ })).toBeNull();
});

it('a second press of "Meant" means no other hint, and the focus stays on the button', async () => {
  const panel = await panelAfterRun(page, 'press');
  const strip = await openedStrip(panel, '2 hints');
  const button = strip.getAllByRole('button', { name: 'Meant' })[0]!;
  button.focus();
  fireEvent.click(button, { detail: 1 });
  fireEvent.click(button, { detail: 2 });
  expect((button.getRootNode() as ShadowRoot).activeElement).toBe(button);
  expect(button.textContent).toBe('expected');
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(button.closest('li')?.textContent).toContain('Hook "meddler');
  expect(writeText.mock.calls).toEqual([["expects: ['call-changed'],"]]);
  expect(strip.getAllByRole('button', { name: 'Meant' })).toHaveLength(1);
});

it('a hint that was meant is no mark on its call, and still leads to its evidence', async () => {
  const panel = await panelAfterRun(page, 'mark');
  const strip = await openedStrip(panel, '2 hints');
  for (const button of strip.getAllByRole('button', { name: 'Meant' })) fireEvent.click(button);
  expect(within(panel.getByRole('tree', { name: 'Steps' })).queryByRole('img', { name: 'hint' })).toBeNull();
  fireEvent.click(strip.getByRole('button', { name: /^hint Hook "meddler/ }));
  expect(panel.getAllByText('Before')[0]?.closest('.finding-card')?.textContent).toMatch(
    /expected.*Atlantis/s,
  );
});

it('a hint that was meant stays folded when its run and its session go on', async () => {
  const gate = createDeferred<string>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    input: z.object({}),
    execute: () => gate.promise,
  });
  const { echo, echoSession, openedPanel } = page;
  const calls = (name: string, input: object) => ({ toolCalls: [{ name, input: { ...input } }] });
  const inference = scriptedInference([
    calls('echo', { text: 'one' }),
    calls('wait', {}),
    { text: 'Done.' },
    calls('echo', { text: 'two' }),
    { text: 'Done again.' },
  ]);
  const panel = await openedPanel();
  const session = echoSession([], { hooks: hooksOf('run').slice(0, 1), tools: [echo, wait], inference });
  const turn = session.sendMessage('Go');
  const strip = await openedStrip(panel, '1 hint');
  fireEvent.click(strip.getByRole('button', { name: 'Meant' }));
  fireEvent.click(strip.getByRole('button', { name: 'Fewer' }));
  await act(async () => {
    gate.resolve('waited');
    await turn;
  });
  await panel.findByText(/^It finished after 3 steps/);
  expect(strip.getByRole('button', { name: '1 expected' })).toBeTruthy();
  await act(async () => void (await session.sendMessage('Again')));
  await panel.findByText(/^It finished after 2 steps/);
  expect(within(await panel.findByRole('group', { name: 'Findings' })).getByRole('button').textContent).toBe(
    '1 expected',
  );
});

it('a hint that was meant is one again when the page is loaded anew, and not when the panel is', async () => {
  const strip = await openedStrip(await panelAfterRun(page, 'page'), '2 hints');
  fireEvent.click(strip.getAllByRole('button', { name: 'Meant' })[0]!);
  await page.closePage();
  await openedStrip(await panelAfterRun(page, 'page'), '1 hint · 1 expected');
  await page.closePage();
  vi.resetModules();
  const anew = (await import('../../devtools-page.fixture.tsx')) as Page;
  await openedStrip(await panelAfterRun(anew, 'page'), '2 hints');
  await anew.closePage();
});
