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

const detectors = [
  defineDetector({
    code: 'rude-answer',
    severity: 'warning',
    finds: 'An answer that greets nobody.',
    reads: { 'inference-end': ['response'] },
    watch: () => () => ({ sentence: 'The answer greets nobody.', remedy: 'Ask the model to greet.' }),
  }),
];

it('the panel shows the findings of a detector of the application', async () => {
  const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Go away.' }]) });
  const session = createAgentSession({ agent });
  render(<AgentDevtools initialIsOpen detectors={detectors} />);
  const found = (): Element | null | undefined =>
    document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root');
  await waitFor(() => expect(found()).toBeTruthy());
  await act(async () => void (await session.sendMessage('Hi')));
  expect(await within(found() as HTMLElement).findByText('The answer greets nobody.')).toBeTruthy();
  await session.dispose();
});
