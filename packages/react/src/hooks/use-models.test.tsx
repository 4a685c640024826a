import { QueryClient } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { useModels } from './use-models.ts';

afterEach(cleanup);

/** A proxy that gives these answers one after the other; the last one repeats. */
function proxy(...answers: readonly (() => Response)[]): { asked: Request[]; fetch: typeof fetch } {
  const asked: Request[] = [];
  return {
    asked,
    fetch: async (input, init) => {
      asked.push(new Request(new URL(String(input), 'http://localhost'), init));
      return (answers[asked.length - 1] ?? answers.at(-1))?.() as Response;
    },
  };
}

let result: ReturnType<typeof useModels>;
function Models(options: Parameters<typeof useModels>[0]): ReactNode {
  result = useModels(options);
  return <p>{result.error?.message ?? result.data?.map(({ id }) => id).join(' ') ?? 'pending'}</p>;
}

function draw(...children: readonly ReactNode[]): void {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(<AgentProvider queryClient={queryClient}>{children}</AgentProvider>);
}

const served = {
  id: 'p:m',
  name: 'M',
  provider: 'p',
  default: true,
  reasoning: ['off', 'low'],
  accepts: ['text/*', 'image/png'],
  price: { input: 1, output: 2, cacheRead: 0.1 },
};
const list =
  (...models: readonly unknown[]) =>
  () =>
    Response.json({ models });

it('useModels returns the models of the proxy, with one request for any number of components', async () => {
  const { asked, fetch } = proxy(list(served, { id: 'p:n', price: { input: '1' } }, { name: 'no id' }, null));
  const options = { url: '/ai/', headers: async () => ({ authorization: 'Bearer t' }), fetch };
  draw(<Models key="1" {...options} />, <Models key="2" {...options} />);
  expect(await screen.findAllByText('p:m p:n')).toHaveLength(2);
  expect(asked.map(({ url }) => new URL(url).pathname)).toEqual(['/ai/v1/models']);
  expect(asked[0]?.headers.get('authorization')).toBe('Bearer t');
  expect(result.data).toEqual([
    served,
    { id: 'p:n', name: 'p:n', provider: '', default: false, reasoning: [], accepts: null, price: null },
  ]);
});

it('useModels returns the error of the proxy, and refetch asks again', async () => {
  const refused = () => Response.json({ code: 'unauthorized', detail: 'Sign in first.' }, { status: 401 });
  draw(<Models key="1" fetch={proxy(refused, list(served)).fetch} />);
  expect(await screen.findByText('Sign in first.')).toBeTruthy();
  expect(result.error).toMatchObject({ code: 'unauthorized' });
  await act(() => result.refetch());
  await waitFor(() => expect(screen.getByText('p:m')).toBeTruthy());
});

it.each<[string, () => Response, string, string]>([
  [
    'a page of another server',
    () => new Response('<html>'),
    'stream-malformed',
    'returned no list of models',
  ],
  ['a failure without words', () => new Response('', { status: 502 }), 'http-502', 'status 502'],
])('the answer %s becomes an error that names it', async (_what, answer, code, words) => {
  draw(<Models key="1" fetch={proxy(answer).fetch} />);
  await waitFor(() => expect(result.error).toMatchObject({ code, message: expect.stringContaining(words) }));
});
