import { AgentState, createAgentLoop, createJournal, defineAgent } from '@vitrine/core';
import { createRecorder, type HubSource } from '@vitrine/core/inspect';
import { scriptedInference } from '@vitrine/core/testing';
import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { IsRunning, isRunning } from '../kit/is-running.ts';
import { Header } from './header.tsx';

const usage = { inputTokens: 20, outputTokens: 5 };

/** What the header says of a run, stopped at its first delta or not. */
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
  const { container } = render(<Header source={source} record={recorder.read(source)} />);
  recorder.dispose();
  const tokens = [...container.querySelectorAll('.figure')].find(({ textContent }) =>
    textContent?.includes('tok'),
  );
  return `${tokens?.textContent}: ${tokens?.getAttribute('title')}`;
}

describe('what a run took', () => {
  it('is what its provider said', async () => {
    expect(await said(false)).toBe('25 tok: 20 in, 5 out');
  });

  it('is at least that, when a call was stopped before its provider could say', async () => {
    expect(await said(true)).toBe('0 tok or more: 0 in, 0 out; what 1 stopped call used is not known');
  });
});

describe('a run that is in progress in its state', () => {
  const state = AgentState.withExecutionStatus(AgentState.create(), 'in-progress');
  const source: HubSource = { id: 's', name: 'a', journal: createJournal(state) };

  const verdict = (isRunning: boolean | null): string => {
    const recorder = createRecorder();
    const { container } = render(
      <IsRunning.Provider value={isRunning}>
        <Header source={source} record={recorder.read(source)} />
      </IsRunning.Provider>,
    );
    recorder.dispose();
    return [...container.querySelectorAll('.verdict, .chip')].map(({ textContent }) => textContent).join(' ');
  };

  it('is told from one that was interrupted, where somebody knows', () => {
    expect(verdict(true)).toBe('It has not stopped: the run is in progress. running');
    expect(verdict(false)).toMatch(/^It was interrupted after 0 steps.* interrupted$/);
    expect(verdict(null)).toMatch(/is in progress, or was interrupted before its end\. running$/);
  });

  it('runs as long as what is shown is behind what happens, and nobody knows where nobody says', () => {
    expect(isRunning(state, source)).toBeNull();
    expect(isRunning(state, { ...source, isRunning: () => false })).toBe(false);
    expect(isRunning({ ...state, seq: -1 }, { ...source, isRunning: () => false })).toBe(true);
  });
});
