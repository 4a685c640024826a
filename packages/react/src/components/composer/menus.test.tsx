import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { agentOf, pause } from '../../fixtures/chat.tsx';
import { AgentSessionProvider } from '../../index.ts';
import { Composer } from './composer.tsx';
import type { MenuEntry, Menus } from './menus.tsx';

afterEach(cleanup);

const prompts: readonly MenuEntry[] = [
  { label: 'plan', description: 'Makes a plan', insert: 'Make a plan for' },
  { label: 'place', insert: 'Find a place' },
  { label: 'clear', onChoose: vi.fn() },
];

/** The message box with menus, and what types into it. */
function draw(menus: Menus) {
  render(
    <AgentSessionProvider agent={agentOf([{ text: 'Yes.' }])}>
      <Composer menus={menus} />
    </AgentSessionProvider>,
  );
  const field = screen.getByLabelText<HTMLTextAreaElement>('Message');
  field.focus();
  const type = async (value: string): Promise<void> => {
    fireEvent.change(field, { target: { value } });
    field.setSelectionRange(value.length, value.length);
    fireEvent(document, new Event('selectionchange'));
    await act(() => pause(20));
  };
  const press = (key: string, init: object = {}): boolean => fireEvent.keyDown(field, { key, ...init });
  const marked = (): string | null | undefined =>
    document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent;
  return { field, type, press, marked };
}

it('a sign opens its menu, letters filter it, arrows mark an entry, and Enter inserts it in place of the word', async () => {
  const { field, type, press, marked } = draw({ '/': prompts });
  await type('Please /');
  const list = await screen.findByRole('listbox', { name: 'Entries of /' });
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual([
    'planMakes a plan',
    'place',
    'clear',
  ]);
  expect(field.getAttribute('aria-controls')).toBe(list.id);
  expect(screen.getByText('3 entries').getAttribute('role')).toBe('status');
  await type('Please /PL');
  expect(screen.getAllByRole('option')).toHaveLength(2);
  expect(marked()).toBe('planMakes a plan');
  press('ArrowDown');
  expect(marked()).toBe('place');
  press('ArrowDown');
  expect(marked()).toBe('planMakes a plan');
  press('ArrowUp');
  press('Enter');
  expect(field.value).toBe('Please Find a place ');
  await act(() => pause(20));
  expect(screen.queryByRole('listbox')).toBeNull();
  expect(document.activeElement).toBe(field);
  expect(field.selectionStart).toBe(20);
  expect(field.getAttribute('aria-activedescendant')).toBeNull();
});

it('a press chooses an entry, whose function is called, and the field keeps the focus', async () => {
  const { field, type } = draw({ '/': prompts });
  await type('/cl');
  const option = await screen.findByRole('option');
  expect(fireEvent.mouseDown(option)).toBe(false);
  fireEvent.click(option);
  expect(field.value).toBe('');
  expect(prompts[2]?.onChoose).toHaveBeenCalledOnce();
});

it('Escape closes a menu until its word is left, and Enter then sends', async () => {
  const { field, type, press } = draw({ '/': prompts });
  await type('/pl');
  await screen.findByRole('listbox');
  press('Escape');
  await type('/pla');
  expect(screen.queryByRole('listbox')).toBeNull();
  press('Enter');
  await waitFor(() => expect(field.value).toBe(''));
  await type('/pl');
  await screen.findByRole('listbox');
});

it('a key of an input method, Shift+Enter, and Enter in an empty menu are left to the field', async () => {
  const { field, type, press, marked } = draw({ '/': prompts });
  await type('/pl');
  await screen.findByRole('listbox');
  press('Enter', { isComposing: true });
  press('Enter', { shiftKey: true });
  press('ArrowDown', { ctrlKey: true });
  expect(field.value).toBe('/pl');
  expect(marked()).toBe('planMakes a plan');
  await type('/usr');
  await screen.findByText('Nothing was found.');
  press('Enter');
  await waitFor(() => expect(field.value).toBe(''));
});

it('a function is asked for each word, aborted when the person types on, and a late or failed answer is told', async () => {
  const asked: { query: string; signal: AbortSignal; give: (entries: readonly MenuEntry[]) => void }[] = [];
  const { type } = draw({
    '@': (query, signal) =>
      query === 'bad'
        ? Promise.reject(new Error('offline'))
        : new Promise((give) => asked.push({ query, signal, give })),
  });
  await type('@a');
  await screen.findByText('Searching…');
  await type('@ab');
  expect(asked.map(({ query, signal }) => [query, signal.aborted])).toEqual([
    ['a', true],
    ['ab', false],
  ]);
  await act(async () => asked[1]?.give([{ label: 'abc.txt' }]));
  await act(async () => asked[0]?.give([{ label: 'late.txt' }]));
  expect(screen.getByRole('option').textContent).toBe('abc.txt');
  await type('@bad');
  await screen.findByText('The entries could not be loaded.');
  expect(screen.queryByRole('option')).toBeNull();
});

it('a sign in a word, a selection and a long word open no menu', async () => {
  const { field, type } = draw({ '@': prompts });
  await type('a@pl');
  expect(screen.queryByRole('listbox')).toBeNull();
  await type(`@${'p'.repeat(60)}`);
  expect(screen.queryByRole('listbox')).toBeNull();
  await type('@pl');
  await screen.findByRole('listbox');
  field.setSelectionRange(0, 3);
  fireEvent(document, new Event('selectionchange'));
  expect(screen.queryByRole('listbox')).toBeNull();
});

it('an entry takes the place of the word before the caret only, and a field that lost the focus has no menu', async () => {
  const { field, type, press } = draw({ '@': [{ label: 'Ann Lee' }] });
  await type('To @an and Bob');
  field.setSelectionRange(6, 6);
  fireEvent(document, new Event('selectionchange'));
  await screen.findByRole('option');
  act(() => field.blur());
  expect(screen.queryByRole('listbox')).toBeNull();
  act(() => field.focus());
  await screen.findByRole('option');
  press('Tab');
  expect(field.value).toBe('To @Ann Lee and Bob');
  await act(() => pause(20));
  expect(screen.queryByRole('listbox')).toBeNull();
  expect(field.selectionStart).toBe('To @Ann Lee'.length);
});

it('a field that turns read only has no menu', async () => {
  const { field, type } = draw({ '/': prompts });
  await type('/pl');
  await screen.findByRole('listbox');
  field.readOnly = true;
  fireEvent(document, new Event('selectionchange'));
  expect(screen.queryByRole('listbox')).toBeNull();
});
