import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { AgentProvider, memorySessions } from '@vitrine/react';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { DataForm } from './data-form.tsx';

afterEach(() => {
  cleanup();
  localStorage.clear();
});

it('sessions stay in their store when the other one cannot be opened, and the choice can be changed again', async () => {
  // As in some private windows.
  vi.stubGlobal('indexedDB', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  render(
    <AgentProvider sessions={memorySessions()}>
      <DataForm />
    </AgentProvider>,
  );
  fireEvent.click(screen.getByRole('radio', { name: /IndexedDB/ }));
  await screen.findByRole('alert');
  const here = screen.getByRole<HTMLInputElement>('radio', { name: /localStorage/ });
  await waitFor(() => expect(here.disabled).toBe(false));
  expect(here.checked).toBe(true);
  expect(screen.queryByText('Moving…')).toBeNull();
});
