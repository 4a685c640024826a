import { QueryClient } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { AgentProvider, memorySessions, useModels } from '@vitrine/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ModelChoice } from '../agents/agent-options.ts';
import { createAssistant } from '../agents/assistant/assistant.ts';
import { defaultSettings } from './settings.ts';
import { ModelSelect } from './model-select.tsx';
import { useModelChoice } from './use-model-choice.ts';

const thinker = {
  id: 'p:thinker',
  name: 'Thinker',
  provider: 'p',
  default: true,
  reasoning: ['off', 'high'],
};
const plain = { id: 'p:plain', name: 'Plain', provider: 'p', default: false };

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

let choice: ModelChoice;
function Choice(): ReactNode {
  const { data = null } = useModels();
  const all = useModelChoice(data);
  choice = all.choice;
  return <ModelSelect {...all} />;
}

/** Renders a page whose server has these models. */
function load(...models: readonly object[]): void {
  cleanup();
  vi.stubGlobal('fetch', async () => Response.json({ models }));
  render(
    <AgentProvider queryClient={new QueryClient()}>
      <Choice />
    </AgentProvider>,
  );
}

const select = (name: string): Promise<HTMLSelectElement> => screen.findByRole('combobox', { name });
const change = async (name: string, value: string): Promise<unknown> =>
  fireEvent.change(await select(name), { target: { value } });

it('a chosen model and reasoning level are kept after a reload', async () => {
  load(plain, thinker);
  expect((await select('Model')).value).toBe('p:thinker');
  expect(choice).toEqual({ model: null, reasoning: null });
  await change('Thinking', 'high');
  await change('Model', 'p:plain');
  expect(screen.queryByRole('combobox', { name: 'Thinking' })).toBeNull();
  expect(choice).toEqual({ model: 'p:plain', reasoning: null });
  load(plain, thinker);
  expect((await select('Model')).value).toBe('p:plain');
  await change('Model', 'p:thinker');
  expect((await select('Thinking')).value).toBe('high');
  expect(choice).toEqual({ model: 'p:thinker', reasoning: 'high' });
  const { llmConfig } = createAssistant({
    ...choice,
    limits: defaultSettings.limits,
    prices: {},
    sessions: memorySessions(),
  });
  expect(llmConfig).toEqual({ model: 'p:thinker', settings: { reasoning: 'high' }, prices: {} });
});

it('a chosen model that the server no longer has is ignored', async () => {
  localStorage.setItem('vitrine-demo:model', '{"model":"p:gone","reasoning":"low"}');
  load(plain, thinker);
  await select('Model');
  expect(choice).toEqual({ model: null, reasoning: null });
});

it('a single model is named, and invalid stored choices do not break the page', async () => {
  localStorage.setItem('vitrine-demo:model', 'not JSON');
  load(plain);
  expect(await screen.findByText('Plain')).toBeTruthy();
  expect(screen.queryByRole('combobox')).toBeNull();
});
