import { AgentState, createAgentLoop, createAgentSession, createJournal, defineAgent } from '@vitrine/core';
import { createRecorder, type HubSource, sessionHub } from '@vitrine/inspect';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import { act, cleanup, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { IsRunning, isRunning } from '../kit/contexts.ts';
import { ContinueButton, Figures, Verdict } from './header.tsx';

const usage = { inputTokens: 20, outputTokens: 5 };

/** The token figure of the header after a run, which may be stopped at its first delta. */
async function said(isStopped: boolean): Promise<string> {
  const controller = new AbortController();
  const agent = defineAgent({
    name: 'a',
    inference: scriptedInference([{ text: 'One and two', chunks: 4, usage, delayMs: 1 }]),
  });
  const state = await createAgentLoop(agent, {
    onEvent: ({ type }) => void (isStopped && type === 'text-delta' && controller.abort()),
  }).execute(AgentState.withUserMessage(AgentState.create(), 'Hi'), { signal: controller.signal });
  const source: HubSource = { id: 's', name: 'a', journal: createJournal(state) };
  const recorder = createRecorder();
  const { container } = render(<Figures source={source} record={recorder.read(source)} />);
  recorder.dispose();
  const tokens = [...container.querySelectorAll('.figure')].find(({ textContent }) =>
    textContent?.includes('tok'),
  );
  return `${tokens?.textContent}: ${tokens?.getAttribute('title')}`;
}

describe('the token figure of a run', () => {
  it('the token figure is the usage that the provider reported', async () => {
    expect(await said(false)).toBe('25 tok: 20 in, 5 out');
  });

  it('a call that was stopped before its usage arrived counts by an estimate', async () => {
    expect(await said(true)).toMatch(/^about \d+ tok: \d+ in, \d+ out, partly estimated$/);
  });
});

describe('a run in progress', () => {
  const state = AgentState.withExecutionStatus(AgentState.create(), 'in-progress');
  const source: HubSource = { id: 's', name: 'a', journal: createJournal(state) };

  const verdict = (isRunning: boolean | null): string => {
    const recorder = createRecorder();
    const { container } = render(
      <IsRunning.Provider value={isRunning}>
        <Verdict record={recorder.read(source)} />
      </IsRunning.Provider>,
    );
    recorder.dispose();
    return container.textContent ?? '';
  };

  it('the header tells a running run from an interrupted one if the source says so', () => {
    expect(verdict(true)).toBe('It has not stopped: the run is in progress.');
    expect(verdict(false)).toMatch(/^It was interrupted after 0 steps/);
    expect(verdict(null)).toMatch(/is in progress, or was interrupted before its end\.$/);
  });

  it('isRunning is true while the shown state lags behind, and null when the source does not say', () => {
    expect(isRunning(state, source)).toBeNull();
    expect(isRunning(state, { ...source, isRunning: () => false })).toBe(false);
    expect(isRunning({ ...state, seq: -1 }, { ...source, isRunning: () => false })).toBe(true);
  });
});

describe('a run that stopped at a limit', () => {
  const look = fakeTool('look', 'seen');
  const script = [{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'Done' }];

  it('the button lets the same run go on, and a moment of the past has none', async () => {
    const agent = defineAgent({
      name: 'a',
      inference: scriptedInference(script),
      tools: [look],
      budget: { maxSteps: 1 },
    });
    const session = createAgentSession({ agent, publish: 'immediate' });
    await session.sendMessage('Look');
    const recorder = createRecorder();
    const source = sessionHub().sources().at(-1)!;
    const record = recorder.read(source);
    render(<ContinueButton source={source} record={record} />);
    await act(async () => screen.getByRole('button', { name: 'Continue' }).click());
    await vi.waitFor(() => expect(session.store.getState().turn).toBeNull());
    const { state } = session.store.getState();
    expect([AgentState.status(state), AgentState.finalResponse(state)]).toEqual(['completed', 'Done']);
    expect([state.executionCount, AgentState.stepCount(state)]).toEqual([1, 2]);
    cleanup();
    // The record is a moment of the past now, and the run has ended by itself.
    render(<ContinueButton source={source} record={record} />);
    expect(screen.queryByRole('button')).toBeNull();
    cleanup();
    render(<ContinueButton source={source} record={recorder.read(source)} />);
    expect(screen.queryByRole('button')).toBeNull();
    recorder.dispose();
    await session.dispose();
  });
});
