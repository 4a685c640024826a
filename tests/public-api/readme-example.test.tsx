// @vitest-environment jsdom
import { readFileSync } from 'node:fs';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { transformWithOxc } from 'vite';
import { afterEach, expect, it, vi } from 'vitest';
import * as vitrine from '@vitrine/react';
import * as runtime from 'react/jsx-runtime';
import type { ComponentType } from 'react';

afterEach(cleanup);

it('the example of the README answers', async () => {
  const readme = readFileSync('README.md', 'utf8');
  const code = /```tsx\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(code.split('\n').length).toBeLessThan(26);
  const body = code
    .replace(/import \{(.*)\} from '@vitrine\/react';/, 'const {$1} = vitrine;')
    .replace('export function', 'return function');
  const compiled = await transformWithOxc(`function make(vitrine) {${body}}`, 'example.tsx', {
    jsx: { runtime: 'automatic' },
  });
  const make = new Function('require', 'vitrine', `${compiled.code}; return make(vitrine);`) as (
    require: () => unknown,
    library: unknown,
  ) => ComponentType;
  const inference = vitrine.scriptedInference([{ text: 'Hello from the README' }]);
  const Chat = make(() => ({ ...runtime, jsxDEV: runtime.jsx }), {
    ...vitrine,
    proxyInference: () => inference,
  });
  const complaint = vi.spyOn(console, 'error');
  render(<Chat />);
  fireEvent.change(screen.getByLabelText('Message'), { target: { value: 'Hi' } });
  fireEvent.click(screen.getByText('Send'));
  await waitFor(() => expect(screen.getByText('Hello from the README')).toBeTruthy());
  expect(screen.getByText('completed')).toBeTruthy();
  expect(complaint).not.toHaveBeenCalled();
});
