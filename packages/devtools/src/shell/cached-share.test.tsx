import { act, fireEvent } from '@testing-library/react';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, expect, it } from 'vitest';
import { closePage, echoSession, openedPanel } from '../devtools-page.fixture.tsx';

afterEach(closePage);

const usage = (inputTokens: number, cacheReadTokens: number) => ({
  inputTokens,
  cacheReadTokens,
  outputTokens: 10,
});
const inference = () =>
  scriptedInference([
    { toolCalls: [{ name: 'echo', input: { text: 'a' } }], usage: usage(1000, 0) },
    { text: 'Done.', usage: usage(3000, 2000) },
  ]);

it('the panel says what share of the input a cache read, and as what it was paid, for the run and its steps', async () => {
  const prices = { m: { input: 3, output: 15, cacheRead: 0.3 } };
  const panel = await openedPanel();
  const init = { inference: inference(), llmConfig: { model: 'm', settings: {}, prices } };
  await act(async () => void (await echoSession([], init).sendMessage('Go')));
  expect(await panel.findByText('cached 50 %, input paid as 55 %')).toBeTruthy();
  fireEvent.click(panel.getAllByRole('treeitem').at(-1)!);
  expect(await panel.findByText(/3,000 in, 10 out · cached 67 %, input paid as 40 %/)).toBeTruthy();
});

it('a run whose price is not known has the share of the cache alone', async () => {
  const panel = await openedPanel();
  await act(async () => void (await echoSession([], { inference: inference() }).sendMessage('Go')));
  expect(await panel.findByText('cached 50 %')).toBeTruthy();
});

it('the panel says what all runs of the session cost, how many tokens they took, and what a cache read', async () => {
  const prices = { m: { input: 3, output: 15, cacheRead: 3 } };
  const answers = scriptedInference([
    { text: 'One.', usage: usage(1000, 0) },
    { text: 'Two.', usage: usage(3000, 1000) },
  ]);
  const panel = await openedPanel();
  const init = { inference: answers, llmConfig: { model: 'm', settings: {}, prices } };
  const session = echoSession([], init);
  for (const text of ['Go', 'On']) await act(async () => void (await session.sendMessage(text)));
  expect((await panel.findByTitle(/, 4,020 tokens, cached 25 %, input paid as 100 %$/)).textContent).toMatch(
    /0\.00915/,
  );
  expect(panel.getByTitle(/^All runs of this session: \D*0\.0123/)).toBeTruthy();
});
