import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { defineTool } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AgentProvider } from '../../agent-provider.tsx';
import { agentOf, expectSilence } from '../../fixtures/chat.tsx';
import { stubLayout } from '../no-layout.fixture.ts';
import { Chat } from './chat.tsx';

beforeEach(() => {
  stubLayout();
  sessionStorage.clear();
});
expectSilence();
// Runs before the check of what was printed, so that a red test leaves no page behind.
afterEach(cleanup);

async function say(text: string): Promise<void> {
  fireEvent.change(screen.getByLabelText('Message'), { target: { value: text } });
  await act(async () => void fireEvent.keyDown(screen.getByLabelText('Message'), { key: 'Enter' }));
}

describe('a chat of one line', () => {
  it('a chat answers, shows Markdown, and offers a new conversation without a store', async () => {
    render(<Chat agent={agentOf([{ text: 'This is **bold**.' }])} />);
    expect(screen.getByText('What can I help you with?')).toBeTruthy();
    await say('Hello');
    expect((await screen.findByText('bold')).tagName).toBe('STRONG');
    expect(screen.getByRole('heading', { name: 'Hello' }).tagName).toBe('H1');
    expect(screen.queryByRole('navigation')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'New session' }));
    await screen.findByText('What can I help you with?');
    expect(screen.queryByText('bold')).toBeNull();
  });

  it('a chat with a store lists its sessions, and shows the open one again after it was mounted anew', async () => {
    const sessions = memorySessions();
    const agent = agentOf([{ text: 'Good day.' }]);
    const first = render(<Chat agent={agent} sessions={sessions} />);
    await screen.findByRole('navigation', { name: 'Sessions' });
    await say('Hello');
    await screen.findByText('Good day.');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Hello' })).toBeTruthy());
    first.unmount();
    render(<Chat agent={agent} sessions={sessions} />);
    await screen.findByText('Good day.');
    await screen.findByRole('button', { name: 'Hello' });
  });

  it('a chat uses the store of its provider', async () => {
    render(
      <AgentProvider sessions={memorySessions()}>
        <Chat agent={agentOf([{ text: 'Yes.' }])} />
      </AgentProvider>,
    );
    await screen.findByRole('navigation', { name: 'Sessions' });
    await say('Hello');
    await screen.findByText('Yes.');
    await screen.findByRole('button', { name: 'Hello' });
  });

  it('an application may keep the id of the open session', async () => {
    const opened: [string, boolean][] = [];
    function Page() {
      const [id, setId] = useState('first');
      const onOpen = (next: string, isNew: boolean): void => {
        opened.push([next, isNew]);
        setId(next);
      };
      return <Chat agent={agentOf([{ text: 'Yes.' }])} sessions={sessions} sessionId={id} onOpen={onOpen} />;
    }
    const sessions = memorySessions();
    render(<Page />);
    await say('Hello');
    await screen.findByText('Yes.');
    fireEvent.click((await screen.findAllByRole('button', { name: 'New session' }))[0] as HTMLElement);
    await screen.findByText('What can I help you with?');
    fireEvent.click(await screen.findByRole('button', { name: 'Hello' }));
    await screen.findByText('Yes.');
    expect(opened.map(([, isNew]) => isNew)).toEqual([true, false]);
    expect(opened[1]?.[0]).toBe('first');
  });

  it('a call that waits for approval is asked about', async () => {
    const add = defineTool({
      name: 'add',
      description: '',
      input: z.object({ a: z.number() }),
      needsApproval: true,
      execute: ({ a }) => a + 1,
    });
    const script = [{ toolCalls: [{ name: 'add', input: { a: 1 } }] }, { text: 'Added.' }];
    render(<Chat agent={agentOf(script, { tools: [add] })} />);
    await say('Add');
    fireEvent.click(await screen.findByRole('button', { name: 'Approve' }));
    await screen.findByText('Added.');
  });
});

describe('the parts of a chat', () => {
  it('an element replaces a part, and null leaves it out', async () => {
    render(
      <Chat
        agent={agentOf([{ text: '**Raw**' }])}
        layout="box"
        header={<p>My header</p>}
        list={<p>My list</p>}
        empty={<p>My start</p>}
        activity={<p>My activity</p>}
        approvals={<p>My approvals</p>}
        notices={<p>My notices</p>}
        composer={null}
        Text={({ text }) => <p>{text}</p>}
      >
        <p>My own part</p>
      </Chat>,
    );
    for (const part of ['header', 'list', 'start', 'activity', 'approvals', 'notices', 'own part']) {
      expect(screen.getByText(`My ${part}`)).toBeTruthy();
    }
    expect(screen.queryByLabelText('Message')).toBeNull();
    expect(screen.queryByRole('main')).toBeNull();
    cleanup();
    render(
      <Chat agent={agentOf([{ text: 'Yes.' }])} sessions={memorySessions()} list={null} header={null} />,
    );
    await act(async () => undefined);
    expect(screen.queryByRole('navigation')).toBeNull();
    expect(screen.queryByRole('heading')).toBeNull();
  });
});
