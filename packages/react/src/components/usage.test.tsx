import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { type ScriptedStep, scriptedInference } from '@vitrine/testing';
import { afterEach, expect, it } from 'vitest';
import { AgentSessionProvider, createAgentSession, defineAgent, useAgentSession } from '../index.ts';
import { type SomeTexts, TextsProvider } from './index.ts';
import { Usage, type UsageProps } from './usage.tsx';

afterEach(cleanup);

const price = { input: 3, output: 15, cacheRead: 0.3 };
const figures = { inputTokens: 4000, cacheReadTokens: 3000, outputTokens: 500, reasoningTokens: 200 };
let send: (text: string) => Promise<unknown>;

function Line(props: UsageProps) {
  ({ sendMessage: send } = useAgentSession());
  return <Usage {...props} />;
}

function open(
  steps: readonly ScriptedStep[],
  {
    texts = {},
    prices,
    ...props
  }: UsageProps & { texts?: SomeTexts; prices?: Record<string, typeof price> } = {},
): void {
  const agent = defineAgent({
    name: 'a',
    systemPrompt: 'S',
    inference: scriptedInference(steps),
    llmConfig: { model: 'm', settings: {}, ...(prices && { prices }) },
    budget: { maxSteps: 5 },
  });
  render(
    <TextsProvider texts={texts}>
      <AgentSessionProvider agent={agent}>
        <Line {...props} />
      </AgentSessionProvider>
    </TextsProvider>,
  );
}

const line = (): string => document.querySelector('summary')?.textContent ?? '';
const openDetails = (): HTMLElement => {
  const details = document.querySelector('details')!;
  details.open = true;
  fireEvent(details, new Event('toggle'));
  return screen.getByRole('region', { name: 'Tokens and cost' });
};

it('a session that has spent nothing shows no line', async () => {
  open([{ text: 'Hello.', usage: figures }]);
  expect(line()).toBe('');
  await act(async () => void (await send('Hi')));
  expect(line()).toBe('4.5k tokens · cached 75%');
});

it('money is shown when the price is known, and the input is said in words', async () => {
  open([{ text: 'Hello.', usage: figures }], { prices: { m: price } });
  await act(async () => void (await send('Hi')));
  expect(line()).toBe('4.5k tokens · $0.01 · cached 75%');
  const details = openDetails();
  expect(details.textContent).toContain(
    'Of 4,000 tokens sent, 75% were read from a cache. All together they cost 33% of their price without one.',
  );
  expect(within(details).getByRole('row', { name: 'm 4,000 500 200 75% $0.01' })).toBeTruthy();
  expect(within(details).getByRole('progressbar', { name: '1 of 5 steps' })).toBeTruthy();
});

it('a call without a price shows no money and no share that was paid', async () => {
  open([{ text: 'Hello.', usage: { ...figures, cacheReadTokens: 0 } }]);
  await act(async () => void (await send('Hi')));
  expect(line()).toBe('4.5k tokens');
  expect(openDetails().textContent).not.toContain('price');
});

it('a context window says how full the last call made it', async () => {
  open([{ text: 'Hello.', usage: figures }], { contextWindow: 200_000 });
  await act(async () => void (await send('Hi')));
  expect(line()).toBe('4.5k of 200k · cached 75%');
});

it('texts of another language replace those of the line', async () => {
  const texts = { usage: { tokens: (count: string) => `${count} Zeichen`, cached: () => 'gemerkt' } };
  open([{ text: 'Hello.', usage: figures }], { texts });
  await act(async () => void (await send('Hi')));
  expect(line()).toBe('4.5k Zeichen · gemerkt');
});

it('earlier answers of the session count for the money, and are named in the details', async () => {
  const agent = defineAgent({
    name: 'a',
    inference: scriptedInference([{ text: 'Hello.', usage: { ...figures, cost: 0.2 } }]),
  });
  const session = createAgentSession({ agent, publish: 'immediate' });
  await session.sendMessage('One');
  await session.sendMessage('Two');
  render(
    <AgentSessionProvider session={session}>
      <Usage />
    </AgentSessionProvider>,
  );
  expect(line()).toBe('4.5k tokens · $0.40 · cached 75%');
  expect(openDetails().textContent).toContain('Earlier answers: 4,500 tokens, $0.20.');
  await session.dispose();
});
