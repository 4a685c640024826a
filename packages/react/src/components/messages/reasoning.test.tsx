import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Reasoning } from './disclosure.tsx';

afterEach(cleanup);

it('the reasoning of a model is closed at first, and renders nothing until it is opened', () => {
  const { rerender } = render(<Reasoning text="Let me see" isStreaming />);
  expect(screen.queryByText('Let me see')).toBeNull();
  fireEvent.click(screen.getByText('Thinking…'));
  const text = screen.getByRole('group', { name: 'Reasoning' });
  expect(text.textContent).toBe('Let me see');
  expect(text.getAttribute('dir')).toBe('auto');
  rerender(<Reasoning text="Let me see now" />);
  expect(screen.getByText('Let me see now')).toBeTruthy();
  expect(screen.getByText('Reasoning').tagName).toBe('SUMMARY');
});

it('a message without reasoning renders nothing', () => {
  expect(render(<Reasoning text="" />).container.innerHTML).toBe('');
});
