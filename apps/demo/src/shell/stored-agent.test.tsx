import { act, cleanup, render, screen } from '@testing-library/react';
import { memorySessions, type SessionStore } from '@vitrine/react';
import { type ReactNode, Suspense, use, useMemo } from 'react';
import { afterEach, expect, it } from 'vitest';
import { storedAgent } from './stored-agent.ts';

afterEach(cleanup);

/** A store with the latency of IndexedDB that counts its calls. */
function slowStore(): { readonly store: SessionStore; readonly asked: () => number } {
  let asked = 0;
  const store: SessionStore = {
    ...memorySessions(),
    async list() {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { sessions: [], cursor: null };
    },
  };
  return { store, asked: () => asked };
}

it('a page that suspends before its first render reads the stored agent once, however often React retries', async () => {
  const { store, asked } = slowStore();
  const Page = (): ReactNode => {
    const answer = useMemo(() => storedAgent(store, 'a'), []);
    return <Agent answer={answer} />;
  };
  const Agent = ({ answer }: { readonly answer: Promise<string | null> }): ReactNode =>
    use(answer) ?? 'nobody';
  await act(async () => {
    render(
      <Suspense fallback={null}>
        <Page />
      </Suspense>,
    );
  });
  await screen.findByText('nobody');
  expect(asked()).toBe(1);
});

it('the agent of a session is read again when the session is opened again, because it may have changed', () => {
  const { store, asked } = slowStore();
  for (const id of ['a', 'a', 'b', 'a']) void storedAgent(store, id);
  expect(asked()).toBe(3);
});
