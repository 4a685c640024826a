import { readFileSync } from 'node:fs';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { transformWithOxc } from 'vite';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import * as vitrine from '@vitrine/react';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing';
import * as runtime from 'react/jsx-runtime';
import type { ComponentType } from 'react';

let complaint: MockInstance;
beforeEach(() => {
  complaint = vi.spyOn(console, 'error');
});
afterEach(() => {
  cleanup();
  expect(complaint).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

/** The example as it stands in the README, with a model that plays steps. Gives the requests that it sends. */
async function drawExample(step: ScriptedStep): Promise<vitrine.InferenceRequest[]> {
  const readme = readFileSync('README.md', 'utf8');
  const code = /```tsx\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(code.split('\n').length).toBeLessThan(28);
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
  const requests: vitrine.InferenceRequest[] = [];
  const inference = scriptedInference([
    (request) => {
      requests.push(request);
      return step;
    },
  ]);
  const Chat = make(() => ({ ...runtime, jsxDEV: runtime.jsx }), {
    ...vitrine,
    proxyInference: () => inference,
  });
  render(<Chat />);
  return requests;
}

function send(text: string): void {
  fireEvent.change(screen.getByLabelText('Message'), { target: { value: text } });
  fireEvent.click(screen.getByText('Send'));
}

it('the example of the README answers', async () => {
  const requests = await drawExample({ text: 'Hello from the README' });
  send('Hi');
  await waitFor(() => expect(screen.getByText('Hello from the README')).toBeTruthy());
  await waitFor(() => expect(screen.getByText('completed')).toBeTruthy());
  expect(requests).toHaveLength(1);
});

it('its Stop ends the answer, and neither sends a message nor asks the model again', async () => {
  const requests = await drawExample({
    chunks: Array.from({ length: 400 }, (_, at) => `w${at} `),
    delayMs: 5,
  });
  send('Hi');
  await waitFor(() => expect(screen.getByText(/w0/)).toBeTruthy());
  fireEvent.click(screen.getByText('Stop'));
  await waitFor(() => expect(screen.getByText('user-requested')).toBeTruthy());
  // Long enough for a second run to have begun, if the button had submitted the form.
  await act(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(requests).toHaveLength(1);
  expect(screen.getByText('user-requested')).toBeTruthy();
  expect(screen.queryByText(/w399/)).toBeNull();
});

it('its Send sends nothing without a text', async () => {
  const requests = await drawExample({ text: 'Hello' });
  send('');
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(requests).toHaveLength(0);
});
