import { act, render, waitFor } from '@testing-library/react';
import { AgentState, createAgentSession, defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { createRecorder } from '@vitrine/inspect';
import { afterEach, expect, it, vi } from 'vitest';
import { AgentDevtools } from '../agent-devtools.tsx';
import { closePage } from '../devtools-page.fixture.tsx';
import { type ClosedState, watchClosed } from './closed-state.ts';

afterEach(closePage);

const button = (): Element | null | undefined =>
  document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.launcher');

it('the closed button counts the faults of the last runs, in words for screen readers too', async () => {
  const inference = scriptedInference([{ text: 'Half', finishReason: 'length' }, { text: 'Whole.' }]);
  const session = createAgentSession({ agent: defineAgent({ inference }) });
  render(<AgentDevtools />);
  await waitFor(() => expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools'));
  await act(async () => void (await session.sendMessage('Hi')));
  await waitFor(() => expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools, 1 fault'));
  expect(button()?.textContent).toBe('1');
  await act(async () => void (await session.sendMessage('Again')));
  await waitFor(() => expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools'));
  expect(button()?.textContent).toBe('');
  await session.dispose();
});

it('the closed button tells a paused run until it goes on', async () => {
  const session = createAgentSession({
    agent: defineAgent({ inference: scriptedInference([{ text: 'Hello.' }]) }),
  });
  render(<AgentDevtools />);
  const id = await session.setBreakpoint({ type: 'model' });
  const turn = session.sendMessage('Hi');
  await waitFor(() =>
    expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools, a run is paused'),
  );
  expect(AgentState.breakHits(session.store.getState().state)).toHaveLength(1);
  await act(async () => {
    await session.removeBreakpoint(id);
    void session.releaseWith();
    await turn;
  });
  await waitFor(() => expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools'));
  await session.dispose();
});

it('a diagnosis that ends during the next run does not tell the faults of the run before', async () => {
  const asked = vi.fn(() => ({ text: 'Whole.', delayMs: 60_000 }));
  const inference = scriptedInference([{ text: 'Half', finishReason: 'length' }, asked]);
  const session = createAgentSession({ agent: defineAgent({ inference }) });
  const told: ClosedState[] = [];
  const leave = watchClosed(createRecorder(), undefined, (state) => void told.push(state));
  const turns = [session.sendMessage('Hi'), session.sendMessage('Again')];
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  await vi.dynamicImportSettled();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(told.at(-1)).toEqual({ faults: 0, isPaused: false });
  leave();
  await session.stop();
  await Promise.all(turns);
  await session.dispose();
});

it('the closed button counts the red cases of the project', async () => {
  render(<AgentDevtools />);
  await waitFor(() => expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools'));
  const list = [{ name: 'it-mails', met: false, sentence: 'It does not call mail.' }];
  try {
    Object.assign(globalThis, { vitrineCases: { list } });
    act(() => void dispatchEvent(new Event('vitrine:cases')));
    expect(button()?.getAttribute('aria-label')).toBe('Open Vitrine devtools, 1 red case');
    expect(button()?.textContent).toBe('1');
  } finally {
    Reflect.deleteProperty(globalThis, 'vitrineCases');
  }
});
