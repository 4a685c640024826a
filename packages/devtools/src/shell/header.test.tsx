import { AgentState, createAgentLoop, createJournal, defineAgent } from '@vitrine/core';
import { createRecorder, type HubSource } from '@vitrine/core/inspect';
import { scriptedInference } from '@vitrine/core/testing';
import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
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
  const { container } = render(<Header isLive source={source} record={recorder.read(source)} />);
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
  const journal = createJournal(state);

  const verdict = (isLive: boolean, isRunning?: () => boolean): string => {
    const source: HubSource = { id: 's', name: 'a', journal, ...(isRunning ? { isRunning } : {}) };
    const recorder = createRecorder();
    const { container } = render(<Header isLive={isLive} source={source} record={recorder.read(source)} />);
    recorder.dispose();
    return [...container.querySelectorAll('.verdict, .chip')].map(({ textContent }) => textContent).join(' ');
  };

  it('is told from one that was interrupted, where somebody knows', () => {
    expect(verdict(true, () => true)).toBe('It has not stopped: the run is in progress. running');
    expect(verdict(true, () => false)).toMatch(/^It was interrupted after 0 steps.* interrupted$/);
    expect(verdict(true)).toMatch(/is in progress, or was interrupted before its end\. running$/);
  });

  it('says nothing of now where a moment of the past is shown', () => {
    expect(verdict(false, () => false)).toMatch(
      /is in progress, or was interrupted before its end\. running$/,
    );
  });
});
