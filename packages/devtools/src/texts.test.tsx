import { act, fireEvent, render, waitFor, within } from '@testing-library/react';
import { AgentError, defineTool } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { inOtherLetters, wordsIn } from '../../../tests/other-letters.ts';
import { closePage, echoSession } from './devtools-page.fixture.tsx';
import { AgentDevtools } from './index.ts';
import { texts } from './texts.ts';

// All texts are in fullwidth letters, and all data in Greek ones: a word in ASCII letters has no text.
const other = inOtherLetters(texts);

afterEach(async () => {
  await closePage();
  vi.unstubAllGlobals();
});

/** An observer for an environment without layout, which the graph needs. It never reports a change. */
class NoLayout {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** Words of the state, and those of its code, which are the same in all languages: types, codes, formats. */
const names = new RegExp(
  [
    // Messages and objects of the state.
    /The model gave its final answer|Error in tool call|\[?\{".*/,
    /\b[a-z]+(?:-[a-z]+)+\b/,
    /\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/,
    /\b(?:user|assistant|tool|system|stop|completed|failed|approved|text|role|parts|messages|null|true|false|_\d)\b/,
    /\b(?:Message|Continuation|JSON|Markdown|curl)\b/,
    /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?\b/,
    /hook:|response_\d|React Flow(?: attribution)?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

function root(): HTMLElement {
  return document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root') as HTMLElement;
}

function expectOnlyTexts(): void {
  // The sentences of findings are those of their detectors, unless `findings.sentence` replaces them by their code.
  const findings = '.finding-row, .finding-card, .finding-mark';
  const values = 'pre, [role=treeitem] .value, [role=treeitem] .key, code, .path';
  const words = wordsIn(root(), `${values}, ${findings}`).map((text) => text.replaceAll(names, ''));
  expect(words.filter((text) => /[A-Za-z]/.test(text))).toEqual([]);
}

const wide = (text: string): string => inOtherLetters({ text }).text;

async function press(text: string): Promise<void> {
  const button = await within(root()).findByRole('button', { name: wide(text) });
  await act(async () => fireEvent.click(button));
}

/** Opens all closed sections. */
async function openSections(): Promise<void> {
  for (const summary of root().querySelectorAll('details:not([open]) > summary'))
    await act(async () => void fireEvent.click(summary));
}

async function openPanel(): Promise<ReturnType<typeof within>> {
  render(<AgentDevtools initialIsOpen texts={other} />);
  await waitFor(() => expect(root()?.querySelector('.panel')).toBeTruthy());
  return within(root());
}

/** A session whose agent calls its tool, fails to call another one, and answers. */
function session(): ReturnType<typeof echoSession> {
  const tool = defineTool({
    name: '_1',
    description: 'λ',
    input: z.object({ κ: z.string() }),
    async execute({ κ }, { report }) {
      report('μ');
      if (κ === 'χ') throw new AgentError('tool-failed', 'χάλασε');
      return 'ναι';
    },
  });
  const asks = defineTool({
    name: '_2',
    description: 'λ',
    input: z.object({ κ: z.string() }),
    needsApproval: true,
    execute: () => 'ναι',
  });
  const script = [
    {
      reasoning: 'ξ',
      toolCalls: [
        { name: '_1', input: { κ: 'α' } },
        { name: '_1', input: { κ: 'χ' } },
      ],
    },
    { toolCalls: [{ name: '_2', input: { κ: 'β' } }] },
    { text: 'Ναι' },
  ];
  return echoSession([], {
    name: 'α',
    systemPrompt: 'σ',
    tools: [tool, asks],
    inference: scriptedInference(script),
    budget: { maxTokens: 1000, maxSteps: 9 },
  });
}

describe('a panel whose texts are all replaced shows no English word', () => {
  it('the button, the empty panel and the menu of commands show no English word', async () => {
    await openPanel();
    expectOnlyTexts();
    fireEvent.keyDown(root().querySelector('.panel') as Element, { key: 'k', ctrlKey: true });
    await within(root()).findByRole('dialog');
    expectOnlyTexts();
    fireEvent.keyDown(within(within(root()).getByRole('dialog')).getByRole('combobox'), { key: 'Escape' });
    await press(texts.shell.close);
    expectOnlyTexts();
  });

  it('the views of a run and all pages of its steps show no English word', async () => {
    const panel = await openPanel();
    const talk = session();
    await act(async () => void (await talk.sendMessage('Έλα')));
    await panel.findByText(wide(texts.verdict.waits(wide(texts.verdict.approvals(1)))));
    expectOnlyTexts();
    await act(
      async () =>
        void (await talk.respondAll(
          Object.fromEntries(
            talk.store.getState().activity.type === 'waiting'
              ? (talk.store.getState().activity as { toolCallIds: readonly string[] }).toolCallIds.map(
                  (id) => [id, { approved: true }],
                )
              : [],
          ),
        )),
    );
    await waitFor(() => expect(root().querySelectorAll('.lane').length).toBeGreaterThan(4));
    for (const lane of root().querySelectorAll('.lane')) {
      await act(async () => void fireEvent.click(lane));
      for (const id of Object.values(texts.stepPages)) {
        await act(async () => void fireEvent.click(panel.getAllByRole('tab', { name: wide(id) }).at(-1)!));
        await openSections();
        expectOnlyTexts();
      }
    }
    await press(texts.step.copy);
    await act(
      async () => void fireEvent.click(panel.getByRole('button', { name: other.step.copyAs('JSON') })),
    );
    vi.stubGlobal('ResizeObserver', NoLayout);
    for (const tab of [texts.tabs.graph, texts.tabs.events, texts.tabs.trace]) {
      await act(async () => void fireEvent.click(panel.getAllByRole('tab', { name: wide(tab) })[0]!));
      for (const loading of [texts.common.loading, texts.common.loadingGraph])
        await waitFor(() => expect(panel.queryByText(wide(loading))).toBeNull(), { timeout: 20_000 });
      expectOnlyTexts();
    }
    await press(texts.trace.replay);
    await press(texts.trace.makeTest);
    await press(texts.trace.preview);
    expectOnlyTexts();
  });

  it('a search, a moment in the past and a pick in the page show no English word', async () => {
    const panel = await openPanel();
    await act(async () => void (await session().sendMessage('Έλα')));
    await panel.findByText(wide(texts.verdict.waits(wide(texts.verdict.approvals(1)))));
    await press(texts.moments.lookBack);
    fireEvent.change(panel.getByRole('slider'), { target: { value: '3' } });
    await panel.findByText(wide(texts.moments.backToLive));
    expectOnlyTexts();
    await press(texts.shell.menu);
    expectOnlyTexts();
    await press(texts.shell.inspect);
    expectOnlyTexts();
    const field = panel.getByPlaceholderText(wide(texts.search.label));
    for (const value of ['λα', 'zz']) {
      fireEvent.change(field, { target: { value } });
      await panel.findByRole('listbox');
      expectOnlyTexts();
    }
  });
});

it('a replaced text of the panel leaves the others English, and a later change is shown', async () => {
  const view = render(<AgentDevtools initialIsOpen texts={{ shell: { openTrace: 'Datei wählen' } }} />);
  await waitFor(() => expect(root()?.querySelector('.panel')).toBeTruthy());
  expect(within(root()).getByRole('button', { name: 'Datei wählen' })).toBeTruthy();
  expect(within(root()).getByRole('button', { name: texts.shell.close })).toBeTruthy();
  view.rerender(<AgentDevtools initialIsOpen texts={{ shell: { close: 'Zu' } }} />);
  expect(await within(root()).findByRole('button', { name: 'Zu' })).toBeTruthy();
  expect(within(root()).getByRole('button', { name: texts.shell.openTrace })).toBeTruthy();
});
