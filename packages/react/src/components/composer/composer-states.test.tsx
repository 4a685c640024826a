import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { scriptedInference } from '@vitrine/core/testing';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AgentProvider,
  AgentSession,
  defineAgent,
  memorySessions,
  renameSession,
  type SessionStore,
  useAgent,
  useAgentSession,
  type UseAgentOptions,
} from '../../index.ts';
import { pause } from '../../fixtures/chat.tsx';
import { Composer } from './composer.tsx';

afterEach(cleanup);

type Drawn = { readonly sessions?: SessionStore } & Pick<
  UseAgentOptions,
  'sessionId' | 'onBusy' | 'onConflict'
>;

/** A message box of an agent whose answers take a second. */
function draw({ sessions = memorySessions(), ...options }: Drawn = {}): HTMLTextAreaElement {
  const chunks = Array.from({ length: 100 }, () => 'word ');
  const agent = defineAgent({ name: 'a', inference: scriptedInference([{ chunks, delayMs: 10 }]) });
  render(
    <AgentProvider sessions={sessions}>
      <AgentSession agent={agent} {...options}>
        <Composer />
        <Facts />
      </AgentSession>
    </AgentProvider>,
  );
  return screen.getByLabelText<HTMLTextAreaElement>('Message');
}

function Facts(): ReactNode {
  const { status, persistence, error } = useAgent({ session: useAgentSession() });
  return <p>{`${status}, ${persistence.status}${error === null ? '' : `: ${error.message}`}`}</p>;
}

const settled = (): Promise<void> => act(() => pause(50));
const drop = (field: HTMLElement, ...files: readonly File[]): boolean =>
  fireEvent.drop(field, { dataTransfer: { files, types: ['Files'] } });

async function say(field: HTMLElement, value: string): Promise<void> {
  fireEvent.change(field, { target: { value } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await settled();
}

describe('in a session without a name, which gets its id when it is first used', () => {
  it('the field stays the same while the first letter is typed and sent: it keeps the focus', async () => {
    const field = draw();
    field.focus();
    fireEvent.change(field, { target: { value: 'H' } });
    await settled();
    expect(document.activeElement).toBe(field);
    await say(field, 'Hi');
    expect(document.activeElement).toBe(field);
  });

  it('what was attached before the first letter stays attached', async () => {
    const field = draw();
    drop(field, new File(['x'], 'a.txt', { type: 'text/plain' }));
    fireEvent.change(field, { target: { value: 'H' } });
    await settled();
    expect(screen.getByText('a.txt')).toBeTruthy();
  });
});

describe('a message that is refused', () => {
  it('because the agent is at work is given back, with the reason', async () => {
    const field = draw({ onBusy: 'reject' });
    await say(field, 'One');
    await say(field, 'Two');
    await waitFor(() => expect(field.value).toBe('Two'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/still working/));
    fireEvent.change(field, { target: { value: 'Two!' } });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('because the stored session cannot be read is given back, and stands before what was typed meanwhile', async () => {
    let fail = (): void => undefined;
    const load = (): Promise<never> =>
      new Promise((_resolve, reject) => {
        fail = () => reject(new Error('no disk'));
      });
    const field = draw({ sessionId: 'unread', sessions: { ...memorySessions(), load } });
    await say(field, 'One');
    fireEvent.change(field, { target: { value: 'Two' } });
    fail();
    await waitFor(() => expect(field.value).toBe('One\nTwo'));
  });

  it('and stands in the conversation all the same is not given back', async () => {
    const { subscribe: _untold, ...sessions } = memorySessions();
    const field = draw({ sessionId: 'changed', sessions, onConflict: 'ask' });
    await say(field, 'One');
    fireEvent.click(await screen.findByRole('button', { name: 'Stop' }));
    await screen.findByText('ready, saved');
    await renameSession({ ...sessions }, 'changed', 'Another name');
    await say(field, 'Two');
    await screen.findByText(/changed elsewhere/);
    await settled();
    expect(field.value).toBe('');
  });
});

it.each([
  ['it is told of as such', { isComposing: true }],
  ['it is told of as Safari does', { keyCode: 229 }],
])('a key that an input method takes neither sends nor stops, where %s', async (_how, key) => {
  const field = draw();
  await say(field, 'One');
  fireEvent.keyDown(field, { key: 'Escape', ...key });
  fireEvent.change(field, { target: { value: 'に' } });
  fireEvent.keyDown(field, { key: 'Enter', ...key });
  await settled();
  expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
  expect(field.value).toBe('に');
});

describe('what is pasted and dropped', () => {
  const picture = new File(['x'], 'image.png', { type: 'image/png' });
  const table = { files: [picture], types: ['text/plain', 'text/html', 'Files'] };

  it('is text where a program gives a picture of it beside it, as those for tables do', () => {
    const field = draw();
    expect(fireEvent.paste(field, { clipboardData: table })).toBe(true);
    expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull();
  });

  it('is a file where there is nothing else, or its name alone', () => {
    const field = draw();
    for (const types of [['Files'], ['text/html', 'Files'], ['text/plain', 'Files']])
      expect(fireEvent.paste(field, { clipboardData: { files: [picture], types } })).toBe(false);
    expect(screen.getByRole('list', { name: 'Attached files' }).children).toHaveLength(3);
  });

  it('is left to the browser where it holds no files, so that text can be dropped into the field', () => {
    const field = draw();
    const dataTransfer = { files: [], types: ['text/plain'] };
    expect(fireEvent.dragOver(field, { dataTransfer })).toBe(true);
    expect(fireEvent.drop(field, { dataTransfer })).toBe(true);
    expect(drop(field, picture)).toBe(false);
  });

  it('can be there twice, and each is taken away by itself', () => {
    const field = draw();
    drop(field, picture, picture);
    fireEvent.click(screen.getAllByRole('button', { name: 'Remove image.png' })[0] as HTMLElement);
    expect(screen.getByRole('list', { name: 'Attached files' }).children).toHaveLength(1);
  });
});

it('a message of nothing but files waits by their names', async () => {
  const field = draw();
  await say(field, 'One');
  drop(field, new File(['x'], 'a.txt', { type: 'text/plain' }), new File(['x'], 'b.txt'));
  fireEvent.keyDown(field, { key: 'Enter' });
  const waiting = await screen.findByRole('list', { name: 'Waiting messages' });
  expect(waiting.textContent).toBe('Waiting: a.txt, b.txtCancel');
  fireEvent.click(screen.getByRole('button', { name: 'Cancel a.txt, b.txt' }));
  await waitFor(() => expect(waiting.isConnected).toBe(false));
});

it('a long message waits in a line, and its button is named by the beginning of it', async () => {
  const field = draw();
  await say(field, 'One');
  await say(field, 'word '.repeat(1000));
  const { name } = { name: /^Cancel (word ?)+…$/ };
  expect((await screen.findByRole('button', { name })).getAttribute('aria-label')?.length).toBeLessThan(110);
});
