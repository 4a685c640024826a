import { AgentState, createAgentLoop, createJournal, defineAgent } from '@vitrine/core';
import { createRecorder, type HubSource } from '@vitrine/core/inspect';
import { scriptedInference } from '@vitrine/core/testing';
import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { IsRunning, isRunning } from '../kit/is-running.ts';
import { Figures, Verdict } from './header.tsx';

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
        <Figures source={source} record={recorder.read(source)} />
      </IsRunning.Provider>,
    );
    recorder.dispose();
    return [...container.querySelectorAll('.verdict, .chip')].map(({ textContent }) => textContent).join(' ');
  };

  it('the header tells a running run from an interrupted one if the source says so', () => {
    expect(verdict(true)).toBe('It has not stopped: the run is in progress. running');
    expect(verdict(false)).toMatch(/^It was interrupted after 0 steps.* interrupted$/);
    expect(verdict(null)).toMatch(/is in progress, or was interrupted before its end\. running$/);
  });

  it('isRunning is true while the shown state lags behind, and null when the source does not say', () => {
    expect(isRunning(state, source)).toBeNull();
    expect(isRunning(state, { ...source, isRunning: () => false })).toBe(false);
    expect(isRunning({ ...state, seq: -1 }, { ...source, isRunning: () => false })).toBe(true);
  });
});
