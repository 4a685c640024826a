import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { EditField } from '../messages/message-view.tsx';
import { RenameField } from '../sessions/session-item.tsx';

afterEach(cleanup);

it.each([
  ['a message', EditField],
  ['a title', RenameField],
] as const)('an Escape that dismisses a suggestion keeps the edit of %s open', (_, Field) => {
  const onCancel = vi.fn();
  const done = { onSend: vi.fn(), onSave: vi.fn() };
  render(<Field text="Before" title="Before" onCancel={onCancel} {...done} />);
  const field = screen.getByRole('textbox');
  fireEvent.change(field, { target: { value: 'に' } });
  for (const key of ['Escape', 'Enter']) {
    fireEvent.keyDown(field, { key, isComposing: true });
    fireEvent.keyDown(field, { key, keyCode: 229 });
  }
  expect([onCancel, done.onSend, done.onSave].map((called) => called.mock.calls.length)).toEqual([0, 0, 0]);
  fireEvent.keyDown(field, { key: 'Escape' });
  expect(onCancel).toHaveBeenCalledTimes(1);
});
