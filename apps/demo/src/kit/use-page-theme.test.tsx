import { render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { usePageTheme } from './use-page-theme.ts';

function Theme(): ReactNode {
  return <p>theme: {usePageTheme()}</p>;
}

it('a component renders again with the theme that the page changes to', async () => {
  document.documentElement.dataset['theme'] = 'light';
  render(<Theme />);
  expect(screen.getByText('theme: light')).toBeTruthy();
  document.documentElement.dataset['theme'] = 'dark';
  expect(await screen.findByText('theme: dark')).toBeTruthy();
});
