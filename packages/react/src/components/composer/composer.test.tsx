import { loadedSession } from '@vitrine/core';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { AgentProvider, AgentSessionProvider, defineAgent, memorySessions } from '../../index.ts';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, expect, it } from 'vitest';
import { Composer } from './composer.tsx';

afterEach(cleanup);

function draw(sessions = memorySessions()): { readonly calls: () => number; readonly field: HTMLElement } {
  let calls = 0;
  const inference = scriptedInference([
    () => {
      calls++;
      return { chunks: Array.from({ length: 200 }, () => 'word '), delayMs: 5 };
    },
  ]);
  const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference });
  render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} sessionId="0198a2f0-0000-7000-8000-000000000001">
        <Composer />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  return { calls: () => calls, field: screen.getByLabelText('Message') };
}

it('a message that is empty or blank is not sent', async () => {
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

it('the Stop button ends the answer and sends nothing', async () => {
  const { calls, field } = draw();
  fireEvent.change(field, { target: { value: 'Hi' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull());
  expect(calls()).toBe(1);
});

it('Shift+Enter and an Enter that ends a composition do not send the message', async () => {
  const { calls, field } = draw();
  fireEvent.change(field, { target: { value: 'One' } });
  // Not prevented, so the browser inserts the line break.
  expect(fireEvent.keyDown(field, { key: 'Enter', shiftKey: true })).toBe(true);
  expect(fireEvent.keyDown(field, { key: 'Enter', isComposing: true })).toBe(true);
  expect(calls()).toBe(0);
  expect(fireEvent.keyDown(field, { key: 'Enter' })).toBe(false);
  await waitFor(() => expect(calls()).toBe(1));
});

it('messages sent while an answer streams are listed and can be cancelled', async () => {
  const { calls, field } = draw();
  for (const value of ['One', 'Two', 'Three']) {
    fireEvent.change(field, { target: { value } });
    fireEvent.keyDown(field, { key: 'Enter' });
    await screen.findByRole('button', { name: 'Stop' });
  }
  const waiting = await screen.findByRole('list', { name: 'Waiting messages' });
  await waitFor(() => expect(waiting.children).toHaveLength(2));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel Two' }));
  await waitFor(() => expect(waiting.textContent).toBe('Waiting: ThreeCancel'));
  expect(calls()).toBe(1);
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Waiting messages' })).toBeNull());
});

it('a draft that was not sent is restored when the session is opened again', async () => {
  const sessions = memorySessions();
  fireEvent.change(draw(sessions).field, { target: { value: 'Half a sent' } });
  const id = '0198a2f0-0000-7000-8000-000000000001';
  await waitFor(async () => expect(loadedSession(await sessions.load(id))?.draft).toBe('Half a sent'));
  cleanup();
  const { field } = draw({ ...sessions });
  await waitFor(() => expect((field as HTMLTextAreaElement).value).toBe('Half a sent'));
});

it('the field keeps its focus and text while the stored session loads, and then sends it', async () => {
  const stored = memorySessions();
  let release = (): void => undefined;
  const isRead = new Promise<void>((resolve) => (release = resolve));
  const { calls, field } = draw({ ...stored, load: (id) => isRead.then(() => stored.load(id)) });
  field.focus();
  fireEvent.change(field, { target: { value: 'Hi' } });
  release();
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(document.activeElement).toBe(field);
  expect(screen.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('Hi');
  fireEvent.keyDown(document.activeElement as Element, { key: 'Enter' });
  await waitFor(() => expect(calls()).toBe(1));
});

it('a file that the model does not take is refused with its name, before it is attached', async () => {
  const inference = { ...scriptedInference([{ text: 'ok' }]), accepts: async () => ['text/*', 'image/png'] };
  const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference });
  render(
    <AgentSessionProvider agent={agent}>
      <Composer />
    </AgentSessionProvider>,
  );
  const field = screen.getByLabelText('Files to attach') as HTMLInputElement;
  await waitFor(() => expect(field.accept).toContain('image/png'));
  expect(field.accept.split(',')).toEqual(expect.arrayContaining(['text/*', '.csv', '.json']));
  const files = [
    new File(['a;b'], 'numbers.csv', { type: 'application/vnd.ms-excel' }),
    new File(['PK\x03\x04\0'], 'letter.docx', { type: 'application/zip' }),
  ];
  fireEvent.change(field, { target: { files } });
  expect((await screen.findByRole('alert')).textContent).toBe(
    'letter.docx: this model cannot read this file.',
  );
  const attached = await screen.findByRole('list', { name: 'Attached files' });
  expect(attached.textContent).toContain('numbers.csv');
  expect(attached.textContent).not.toContain('letter.docx');
});

it('all files are attached where the list of models cannot be had', async () => {
  const inference = {
    ...scriptedInference([{ text: 'ok' }]),
    accepts: () => Promise.reject(new Error('There is no list.')),
  };
  const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference });
  render(
    <AgentSessionProvider agent={agent}>
      <Composer />
    </AgentSessionProvider>,
  );
  const field = screen.getByLabelText('Files to attach') as HTMLInputElement;
  fireEvent.change(field, { target: { files: [new File(['PK\x03\x04\0'], 'letter.docx')] } });
  expect((await screen.findByRole('list', { name: 'Attached files' })).textContent).toContain('letter.docx');
  expect(field.accept).toBe('');
});
