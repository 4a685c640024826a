import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { agentOf, expectSilence } from '../../fixtures/chat.tsx';
import { AgentSessionProvider, createAgentSession } from '../../index.ts';
import { ConversationView } from '../conversation-view.tsx';
import { stubLayout } from '../no-layout.fixture.ts';

expectSilence();
beforeEach(stubLayout);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

type Voice = Exclude<Parameters<typeof ConversationView>[0]['readAloud'], boolean | undefined>;

async function show(readAloud: boolean | Voice) {
  const agent = agentOf([{ text: '# Bern\n\nIt is **warm**. Go out!' }, { text: 'Two.' }]);
  const session = createAgentSession({ agent });
  await session.sendMessage('How is Bern?');
  await session.sendMessage('And now?');
  render(
    <AgentSessionProvider session={session}>
      <ConversationView readAloud={readAloud} />
    </AgentSessionProvider>,
  );
  await screen.findAllByRole('button', { name: 'Answer again' });
  await act(async () => void (await vi.dynamicImportSettled()));
  const press = async (at: number): Promise<void> => {
    const button = (await screen.findAllByRole('button', { name: 'Read aloud' }))[at]!;
    await act(async () => {
      fireEvent.click(button);
      await vi.dynamicImportSettled();
    });
  };
  const pressed = (): (string | null)[] =>
    screen.getAllByRole('button', { name: 'Read aloud' }).map((one) => one.getAttribute('aria-pressed'));
  return { press, pressed };
}

it('a voice of the application reads an answer without its marks, and is stopped', async () => {
  const log: string[] = [];
  let end = (): void => undefined;
  const { press, pressed } = await show((text, onEnd) => {
    log.push(text);
    end = onEnd;
    return () => void log.push('stop');
  });
  await press(0);
  expect(log).toEqual(['Bern. It is warm. Go out!']);
  expect(pressed()).toEqual(['true', 'false']);
  await press(0);
  expect(log.slice(1)).toEqual(['stop']);
  await press(1);
  act(end);
  expect(pressed()).toEqual(['false', 'false']);
  expect(log[2]).toBe('Two.');
});

it('the voice of the browser reads sentence by sentence, and one answer at a time', async () => {
  const queue: { readonly text: string; onend?: () => void; onerror?: () => void }[] = [];
  vi.stubGlobal(
    'SpeechSynthesisUtterance',
    class {
      readonly text: string;
      constructor(text: string) {
        this.text = text;
      }
    },
  );
  vi.stubGlobal('speechSynthesis', {
    speak: (one: (typeof queue)[number]) => void queue.push(one),
    cancel: () => queue.splice(0).forEach(({ onerror }) => onerror?.()),
  });
  const { press, pressed } = await show(true);
  await press(0);
  expect(queue.map(({ text }) => text.trim())).toEqual(['Bern.', 'It is warm.', 'Go out!']);
  await press(1);
  expect(queue.map(({ text }) => text)).toEqual(['Two.']);
  expect(pressed()).toEqual(['false', 'true']);
  act(() => queue.at(-1)?.onend?.());
  expect(pressed()).toEqual(['false', 'false']);
});

it('a browser without a voice has no such button', async () => {
  await show(true);
  expect(screen.queryByRole('button', { name: 'Read aloud' })).toBe(null);
});
