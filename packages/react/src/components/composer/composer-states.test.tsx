import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { scriptedInference } from '@vitrine/testing';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AgentProvider,
  AgentSessionProvider,
  createAgentSession,
  defineAgent,
  memorySessions,
  type SessionStore,
  useAgent,
  useAgentSession,
  type UseAgentOptions,
} from '../../index.ts';
import { pause } from '../../fixtures/chat.tsx';
import { Composer } from './composer.tsx';

afterEach(cleanup);

type Drawn = {
  readonly sessions?: SessionStore;
  readonly inference?: ReturnType<typeof scriptedInference>;
} & Pick<UseAgentOptions, 'sessionId' | 'onBusy' | 'onConflict'>;

const chunks = Array.from({ length: 100 }, () => 'word ');

/** Renders the message box of an agent whose answers take a second. */
function draw({
  sessions = memorySessions(),
  inference = scriptedInference([{ chunks, delayMs: 10 }]),
  ...options
}: Drawn = {}): HTMLTextAreaElement {
  const agent = defineAgent({ name: 'a', inference });
  render(
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} {...options}>
        <Composer />
        <Facts />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  return screen.getByLabelText<HTMLTextAreaElement>('Message');
}

function Facts(): ReactNode {
  const { status, persistence, error } = useAgent({ session: useAgentSession() });
  return <p>{`${status}, ${persistence.status}${error === null ? '' : `: ${error.message}`}`}</p>;
}

const whenSettled = (): Promise<void> => act(() => pause(50));
const drop = (field: HTMLElement, ...files: readonly File[]): boolean =>
  fireEvent.drop(field, { dataTransfer: { files, types: ['Files'] } });

async function say(field: HTMLElement, value: string): Promise<void> {
  fireEvent.change(field, { target: { value } });
  fireEvent.keyDown(field, { key: 'Enter' });
  await whenSettled();
}

describe('a session without an id', () => {
  it('the field keeps its element and focus while the first letter is typed and sent', async () => {
    const field = draw();
    field.focus();
    fireEvent.change(field, { target: { value: 'H' } });
    await whenSettled();
    expect(document.activeElement).toBe(field);
    await say(field, 'Hi');
    expect(document.activeElement).toBe(field);
  });

  it('a file that was attached before the first letter stays attached', async () => {
    const field = draw();
    drop(field, new File(['x'], 'a.txt', { type: 'text/plain' }));
    fireEvent.change(field, { target: { value: 'H' } });
    await whenSettled();
    expect(screen.getByText('a.txt')).toBeTruthy();
  });
});

describe('a refused message', () => {
  it('a message to a busy agent returns to the box with the reason', async () => {
    const field = draw({ onBusy: 'reject' });
    await say(field, 'One');
    await say(field, 'Two');
    await waitFor(() => expect(field.value).toBe('Two'));
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/still working/));
    fireEvent.change(field, { target: { value: 'Two!' } });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('a message to an unreadable session returns to the box, before newly typed text', async () => {
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

  it('a refused message that is in the conversation does not return to the box', async () => {
    const { subscribe: _untold, ...sessions } = memorySessions();
    const field = draw({ sessionId: 'changed', sessions, onConflict: 'ask' });
    await say(field, 'One');
    fireEvent.click(await screen.findByRole('button', { name: 'Stop' }));
    await screen.findByText('ready, saved');
    // Another device begins a run.
    await sessions.takeEpoch('changed');
    await say(field, 'Two');
    await screen.findByText(/conflict/);
    await whenSettled();
    expect(field.value).toBe('');
  });
});

it.each([
  ['isComposing is set', { isComposing: true }],
  ['the keyCode is 229 as in Safari', { keyCode: 229 }],
])('a key of an input method neither sends nor stops when %s', async (_how, key) => {
  const field = draw();
  await say(field, 'One');
  fireEvent.keyDown(field, { key: 'Escape', ...key });
  fireEvent.change(field, { target: { value: 'に' } });
  fireEvent.keyDown(field, { key: 'Enter', ...key });
  await whenSettled();
  expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
  expect(field.value).toBe('に');
});

describe('paste and drop', () => {
  const picture = new File(['x'], 'image.png', { type: 'image/png' });
  const table = { files: [picture], types: ['text/plain', 'text/html', 'Files'] };

  it('a pasted text with a picture of itself, as from a spreadsheet, is pasted as text', () => {
    const field = draw();
    expect(fireEvent.paste(field, { clipboardData: table })).toBe(true);
    expect(screen.queryByRole('list', { name: 'Attached files' })).toBeNull();
  });

  it('a pasted file is attached when the clipboard holds only the file, its HTML or its name', () => {
    const field = draw();
    for (const types of [['Files'], ['text/html', 'Files'], ['text/plain', 'Files']])
      expect(fireEvent.paste(field, { clipboardData: { files: [picture], types } })).toBe(false);
    expect(screen.getByRole('list', { name: 'Attached files' }).children).toHaveLength(3);
  });

  it('a drop without files is left to the browser, so that text can be dropped into the field', () => {
    const field = draw();
    const dataTransfer = { files: [], types: ['text/plain'] };
    expect(fireEvent.dragOver(field, { dataTransfer })).toBe(true);
    expect(fireEvent.drop(field, { dataTransfer })).toBe(true);
    expect(drop(field, picture)).toBe(false);
  });

  it('the same file can be attached twice, and each copy is removed separately', () => {
    const field = draw();
    drop(field, picture, picture);
    fireEvent.click(screen.getAllByRole('button', { name: 'Remove image.png' })[0] as HTMLElement);
    expect(screen.getByRole('list', { name: 'Attached files' }).children).toHaveLength(1);
  });
});

it('a queued message without text is shown by its file names', async () => {
  const field = draw();
  await say(field, 'One');
  drop(field, new File(['x'], 'a.txt', { type: 'text/plain' }), new File(['x'], 'b.txt'));
  fireEvent.keyDown(field, { key: 'Enter' });
  const waiting = await screen.findByRole('list', { name: 'Waiting messages' });
  expect(waiting.textContent).toBe('Waiting: a.txt, b.txtCancel');
  fireEvent.click(screen.getByRole('button', { name: 'Cancel a.txt, b.txt' }));
  await waitFor(() => expect(waiting.isConnected).toBe(false));
});

it('a long queued message is shown shortened, also in the name of its button', async () => {
  const field = draw();
  await say(field, 'One');
  await say(field, 'word '.repeat(1000));
  const { name } = { name: /^Cancel (word ?)+…$/ };
  expect((await screen.findByRole('button', { name })).getAttribute('aria-label')?.length).toBeLessThan(110);
});

describe('an answer that another device stopped', () => {
  it('the box says that the message is kept, and does not ask for it again', async () => {
    const sessions = memorySessions();
    const inference = scriptedInference([{ chunks: ['late'], delayMs: 3000 }, { text: 'there' }]);
    const field = draw({ sessions, sessionId: 'shared', inference });
    await say(field, 'One');
    const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'there' }]) });
    const other = createAgentSession({ agent, sessions, sessionId: 'shared' });
    await other.ready;
    await other.sendMessage('Meanwhile');
    fireEvent.change(field, { target: { value: 'Two' } });
    const said = await screen.findByText(/Your message is in it/, undefined, { timeout: 3000 });
    expect(said.textContent).not.toContain('again');
    expect(field.value).toBe('Two');
    await other.dispose();
  });
});
