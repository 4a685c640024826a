import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MessageBoundary } from './message-boundary.tsx';
import { RawMessage } from './message-view.tsx';

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, 'clipboard');
});

function Broken(): ReactNode {
  throw new RangeError('Maximum call stack size exceeded');
}

function draw(): void {
  render(
    <>
      <MessageBoundary of="fine" fallback={<RawMessage text="fine" />}>
        <p>A message that can be drawn</p>
      </MessageBoundary>
      <MessageBoundary of="raw" fallback={<RawMessage text={'> > raw <b>text</b>'} />}>
        <Broken />
      </MessageBoundary>
    </>,
  );
}

it('a message that cannot be rendered shows its text, and the others render normally', () => {
  draw();
  expect(screen.getByText('A message that can be drawn')).toBeTruthy();
  expect(screen.getByText('> > raw <b>text</b>').closest('pre')).not.toBeNull();
});

it('a message that could not be rendered is rendered again with its next change', () => {
  const shown = (of: string, children: ReactNode): ReactNode => (
    <MessageBoundary of={of} fallback={<RawMessage text="raw" />}>
      {children}
    </MessageBoundary>
  );
  const { rerender } = render(shown('one', <Broken />));
  expect(screen.getByText('raw')).toBeTruthy();
  rerender(shown('one', <p>whole</p>));
  expect(screen.queryByText('whole')).toBeNull();
  rerender(shown('two', <Broken />));
  expect(screen.getByText('raw')).toBeTruthy();
  rerender(shown('three', <p>whole</p>));
  expect(screen.getByText('whole')).toBeTruthy();
});

it('the text of a message that cannot be rendered can be copied', async () => {
  const writeText = vi.fn(async () => undefined);
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  draw();
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }));
  await screen.findByText('Copied.');
  expect(writeText).toHaveBeenCalledExactlyOnceWith('> > raw <b>text</b>');
});

it('the copy button says that copying failed where there is no clipboard', async () => {
  draw();
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }));
  await screen.findByText(/not allowed here/);
});
