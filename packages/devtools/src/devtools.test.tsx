import { act, cleanup, fireEvent, render, waitFor, within } from '@testing-library/react';
import {
  AgentState,
  createAgentSession,
  defineAgent,
  defineTool,
  scriptedInference,
  StopReason,
  StopSignal,
} from '@vitrine/core';
import { StrictMode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AgentDevtools } from './index.ts';
import { redact } from './kit/redact.ts';
import { searchTree, treeRows } from './kit/tree-rows.ts';
import { decidingBranch, verdict } from './tabs/stop/verdict.ts';

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const echo = defineTool({
  name: 'echo',
  description: '',
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const agent = defineAgent({
  name: 'helper',
  systemPrompt: '',
  tools: [echo],
  inference: scriptedInference([{ toolCalls: [{ name: 'echo', input: { text: 'hi' } }] }, { text: 'done' }]),
});

async function openPanel(): Promise<{ panel: ReturnType<typeof within>; root: ShadowRoot }> {
  await waitFor(() => expect(document.querySelectorAll('[data-vitrine-devtools]')).toHaveLength(1));
  const root = document.querySelector('[data-vitrine-devtools]')?.shadowRoot as ShadowRoot;
  return { panel: within(root.querySelector('.root') as HTMLElement), root };
}

describe('the panel', () => {
  it('opens once under StrictMode, closes, and goes with its component', async () => {
    const view = render(<AgentDevtools />, { wrapper: StrictMode });
    const { panel } = await openPanel();
    fireEvent.click(await panel.findByLabelText('Open Vitrine devtools'));
    expect(await panel.findByText(/No session on this page yet/)).toBeTruthy();
    fireEvent.click(panel.getByLabelText('Close devtools'));
    expect(await panel.findByLabelText('Open Vitrine devtools')).toBeTruthy();
    view.unmount();
    expect(document.querySelector('[data-vitrine-devtools]')).toBeNull();
  });

  it('shows the steps, the state, why it stopped, and the events of a session', async () => {
    render(<AgentDevtools initialIsOpen position="right" />);
    const { panel, root } = await openPanel();
    const session = createAgentSession({ agent });
    await act(() => session.sendMessage('Hi'));
    expect(await panel.findByText('helper')).toBeTruthy();
    expect(document.documentElement.style.getPropertyValue('--vitrine-devtools-right')).toBe('460px');
    fireEvent.keyDown(panel.getByRole('tab', { name: 'Steps' }), { key: 'ArrowRight' });
    expect(panel.getByRole('tab', { name: 'State' }).getAttribute('aria-selected')).toBe('true');
    fireEvent.click(panel.getByRole('tab', { name: 'Stop' }));
    expect(
      await panel.findByText('It finished after 2 steps: The model gave its final answer.'),
    ).toBeTruthy();
    expect(root.querySelector('[data-taken="true"]')?.textContent).toContain('Is nothing left to do?');
    expect(root.querySelectorAll('.branches li')[0]?.textContent).toContain('No');
    fireEvent.click(panel.getByRole('tab', { name: 'Events' }));
    fireEvent.change(panel.getByLabelText('Filter events'), { target: { value: 'nothing like it' } });
    expect(panel.getByText('No events match.')).toBeTruthy();
    await act(() => session.dispose());
    expect(await panel.findByText(/No session on this page yet/)).toBeTruthy();
  });
});

describe('the object graph', () => {
  it('shows what is expanded, pages lists, and marks what changed', () => {
    const before = { list: Array.from({ length: 250 }, (_, index) => index), same: { a: 1 }, other: null };
    const after = { ...before, other: 'x' };
    const rows = treeRows(after, 'S', {
      expanded: new Set(['S', 'S.list']),
      limits: new Map(),
      previous: before,
    });
    expect(rows).toHaveLength(1 + 1 + 100 + 1 + 2);
    expect(rows.find((row) => row.more)?.text).toBe('Show 100 of 150 more');
    expect(rows.filter((row) => row.isChanged).map((row) => row.path)).toEqual(['S', 'S.other']);
  });

  it('marks what was not there before', () => {
    const rows = treeRows({ list: [1, 2], b: null }, 'S', {
      expanded: new Set(['S', 'S.list']),
      limits: new Map(),
      previous: { list: [1] },
    });
    expect(rows.filter((row) => row.isChanged).map((row) => row.path)).toEqual([
      'S',
      'S.list',
      'S.list.1',
      'S.b',
    ]);
  });

  it('looks at shared parts once when it searches', () => {
    const shared = { text: 'needle' };
    expect(searchTree({ a: shared, b: [shared, shared] }, 'S', 'needle')).toHaveLength(1);
  });

  it('finds paths and values, and shows no secrets', () => {
    const state = { llm: { apiKey: 'sk-1', model: 'gpt' }, list: ['needle'] };
    expect(searchTree(state, 'S', 'needle').map((hit) => hit.path)).toEqual(['S.list.0']);
    expect(searchTree(state, 'S', 'sk-1')).toEqual([]);
    expect(JSON.stringify(redact(state))).not.toContain('sk-1');
    const rows = treeRows(state, 'S', {
      expanded: new Set(['S', 'S.llm']),
      limits: new Map(),
      previous: undefined,
    });
    expect(JSON.stringify(rows.map((row) => row.text))).not.toContain('sk-1');
    expect(redact(state.list)).toBe(state.list);
  });
});

describe('the verdict', () => {
  it('names the signal that core says has won, for every pair of reasons', () => {
    for (const first of StopReason.stopReasons) {
      for (const second of StopReason.stopReasons) {
        const state = AgentState.withExecutionCompleted(
          [first, second].reduce(
            (current, reason) => AgentState.withStopSignal(current, StopSignal.of(reason)),
            AgentState.create(),
          ),
        );
        const winner = AgentState.stopReason(state)!;
        expect(verdict(state)).toContain(winner === 'completed' ? 'It finished' : winner);
        expect(decidingBranch(state, [])).toBe(winner === 'completed' ? 'nothing-left' : 'stop-signals');
      }
    }
  });

  it('is plain about runs that have not ended', () => {
    expect(verdict(AgentState.create())).toBe('It has not run yet.');
    expect(verdict(AgentState.withExecutionStatus(AgentState.create(), 'in-progress'))).toMatch(
      /in progress/,
    );
  });
});
