import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { AgentProvider, AgentSession, defineAgent, memorySessions } from '@vitrine/react';
import { scriptedInference } from '@vitrine/core/testing';
import { afterEach, expect, it } from 'vitest';
import { Composer } from './composer.tsx';

afterEach(cleanup);

function draw(): { readonly calls: () => number; readonly field: HTMLElement } {
  let calls = 0;
  const inference = scriptedInference([
    () => {
      calls++;
      return { chunks: Array.from({ length: 200 }, () => 'word '), delayMs: 5 };
    },
  ]);
  const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference });
  render(
    <AgentProvider sessions={memorySessions()}>
      <AgentSession agent={agent} sessionId="0198a2f0-0000-7000-8000-000000000001">
        <Composer onSend={() => undefined} />
      </AgentSession>
    </AgentProvider>,
  );
  return { calls: () => calls, field: screen.getByLabelText('Message') };
}

it('a message of nothing, or of blanks, is not sent', async () => {
  const { calls, field } = draw();
  for (const value of ['', '  ', '\n\t ']) {
    fireEvent.change(field, { target: { value } });
    fireEvent.keyDown(field, { key: 'Enter' });
    fireEvent.submit(field.closest('form') as HTMLFormElement);
    expect((screen.getByRole('button', { name: 'Send' }) as HTMLButtonElement).disabled).toBe(true);
  }
  fireEvent.change(field, { target: { value: ' Hi ' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(calls()).toBe(1));
});

it('Stop ends the answer and sends nothing', async () => {
  const { calls, field } = draw();
  fireEvent.change(field, { target: { value: 'Hi' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull());
  expect(calls()).toBe(1);
});
