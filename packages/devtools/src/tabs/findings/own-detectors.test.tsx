import { act, cleanup, render, waitFor, within } from '@testing-library/react';
import { createAgentSession, defineAgent } from '@vitrine/core';
import { defineDetector } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, expect, it } from 'vitest';
import { AgentDevtools } from '../../index.ts';

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const panelRoot = (): Element | null | undefined =>
  document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root');
const isBusy = (): string | null | undefined =>
  panelRoot()?.querySelector('.verdict')?.getAttribute('aria-busy');
const busyWhileWatching: (string | null | undefined)[] = [];

const detectors = [
  defineDetector({
    code: 'rude-answer',
    severity: 'fault',
    reads: { 'inference-end': ['response'] },
    watch: () => () => {
      busyWhileWatching.push(isBusy());
      return { sentence: 'The answer greets nobody.', remedy: 'Ask the model to greet.' };
    },
  }),
];

it('the panel shows the findings of a detector of the application, and its verdict is busy until then', async () => {
  const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Go away.' }]) });
  const session = createAgentSession({ agent });
  render(<AgentDevtools initialIsOpen detectors={detectors} />);
  await waitFor(() => expect(panelRoot()).toBeTruthy());
  await act(async () => void (await session.sendMessage('Hi')));
  expect(await within(panelRoot() as HTMLElement).findByText('The answer greets nobody.')).toBeTruthy();
  expect(new Set(busyWhileWatching)).toEqual(new Set(['true']));
  await waitFor(() => expect(isBusy()).toBe('false'));
  await session.dispose();
});
