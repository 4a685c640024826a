import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { ScriptedEntry } from '@vitrine/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { agentOf, expectSilence, pause } from '../../fixtures/chat.tsx';
import { createAgentSession, defineTool, memorySessions } from '../../index.ts';
import { toolView } from '../messages/tool-view.ts';
import { stubLayout } from '../no-layout.fixture.ts';
import { Approvals } from '../approvals/approvals.tsx';
import { Chat, type ChatProps } from './chat.tsx';

beforeEach(stubLayout);
expectSilence();
afterEach(cleanup);

const pay = defineTool({
  name: 'pay',
  description: '',
  input: z.object({ cents: z.int() }),
  needsApproval: true,
  execute: () => 'paid',
});
const pick = defineTool({ name: 'pick', description: '', input: z.object({}), output: z.string() });
const pickView = toolView(pick, ({ respond }) => <button onClick={() => void respond('red')}>Red</button>);

/** A stored session after messages, and its chat for a person who may only follow it. */
async function follow(script: readonly ScriptedEntry[], props: Partial<ChatProps> = {}) {
  const sessions = memorySessions();
  const agent = agentOf(script, { tools: [pay, pick], budget: { maxSteps: 3 } });
  const session = createAgentSession({ agent, sessions, sessionId: 's' });
  void session.sendMessage('One');
  const whenIdle = () =>
    waitFor(() => expect(session.store.getState().status).not.toMatch(/loading|streaming/));
  await whenIdle();
  const show = async (): Promise<readonly (string | null)[]> => {
    await session.dispose();
    render(<Chat agent={agent} sessions={sessions} sessionId="s" readOnly feedback download {...props} />);
    await screen.findByText('One', { selector: 'p, p *' });
    // All parts that load later are there.
    await screen.findByLabelText('Save the conversation');
    await act(() => pause(50));
    return screen.queryAllByRole('button').map((button) => button.ariaLabel ?? button.textContent);
  };
  return { session, sessions, whenIdle, show };
}

it('a read-only chat has its answers and versions, copy and download, and nothing that changes the session', async () => {
  const { session, sessions, whenIdle, show } = await follow([{ text: 'Yes.' }, { text: 'Maybe.' }]);
  await act(() => session.regenerate());
  await whenIdle();
  const before = JSON.stringify(await sessions.load('s'));
  expect(await show()).toEqual(['Copy answer']);
  expect(screen.getByText('Maybe.')).toBeTruthy();
  expect(screen.getByRole('group', { name: /nswer 2 of 2/ }).textContent).toBe('2 / 2');
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByRole('navigation')).toBeNull();
  expect(screen.queryByRole('link')).toBeNull();
  fireEvent.click(screen.getByLabelText('Save the conversation'));
  await screen.findByRole('button', { name: 'As text (Markdown)' });
  cleanup();
  expect(JSON.stringify(await sessions.load('s'))).toBe(before);
});

it('a read-only chat tells of a limit and of an error without a button that goes on', async () => {
  const limited = await follow([{ toolCalls: [{ name: 'none', input: {} }] }]);
  expect(await limited.show()).toEqual([]);
  await screen.findByText(/3 steps/);
  cleanup();
  const failed = await follow([{ error: { message: 'The kitchen is closed.' } }]);
  expect(await failed.show()).toEqual(['Dismiss']);
});

it('a question about a call is shown by a read-only chat whose prop approvals says so, and by no other', async () => {
  const script = [{ toolCalls: [{ name: 'pay', input: { cents: 5 } }] }, { text: 'Paid.' }];
  expect(await (await follow(script)).show()).toEqual([]);
  cleanup();
  const { show } = await follow(script, { approvals: <Approvals /> });
  expect(await show()).toContain('Approve');
});

it('a read-only chat disables the interface of a tool that waits for an output', async () => {
  const { show } = await follow([{ toolCalls: [{ name: 'pick', input: {} }] }], { tools: [pickView] });
  expect(await show()).toEqual(['Red']);
  expect(screen.getByRole('button', { name: 'Red' }).matches(':disabled')).toBe(true);
});
