import { act, fireEvent, waitFor, within } from '@testing-library/react';
import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import { type FullSessionStore, memorySessions } from '@vitrine/persist';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, echo, openedPanel } from '../../devtools-page.fixture.tsx';

const open: AgentSession[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.dispose()));
  await closePage();
});

const usage = { inputTokens: 1000, outputTokens: 100 };
const prices = { small: { input: 1, output: 2 }, large: { input: 1, output: 2 } };

/** A session that answers its messages by a script, and is stored. */
async function ask(
  sessions: FullSessionStore,
  sessionId: string,
  script: readonly ScriptedEntry[],
  messages: readonly string[],
): Promise<AgentSession> {
  const inference = scriptedInference(script);
  const llmConfig = { model: sessionId === 'bert' ? 'large' : 'small', settings: {}, prices };
  const agent = defineAgent({ name: sessionId, tools: [echo], inference, llmConfig });
  const session = createAgentSession({ agent, sessions, sessionId });
  open.push(session);
  for (const message of messages) await act(() => session.sendMessage(message));
  await session.flush();
  return session;
}

const answer = (text: string): ScriptedEntry => ({ text, usage });
const cut = (text: string): ScriptedEntry => ({ text, usage, finishReason: 'length' });

/** The panel over a store with three sessions, of which one is open on the page. */
async function panelOverStore(sessions: FullSessionStore): Promise<ReturnType<typeof within>> {
  const first = await ask(sessions, 'anna', [answer('Hello'), cut('One, two, thr')], ['Hi Anna', 'Count']);
  const second = await ask(sessions, 'bert', [answer('Hello')], ['Hi Bert']);
  await Promise.all([first, second].map((session) => session.dispose()));
  const panel = await openedPanel();
  await ask(sessions, 'carl', [answer('Hello')], ['Hi Carl']);
  fireEvent.click(await panel.findByRole('tab', { name: 'History' }));
  await panel.findByText(/^4 of 4 runs in 3 sessions/);
  return panel;
}

const rows = (panel: ReturnType<typeof within>): string[] =>
  within(panel.getByRole('list', { name: 'Runs of all sessions' }))
    .queryAllByRole('button')
    .map(({ textContent }) => textContent ?? '');

describe('the History tab', () => {
  it('the runs of all stored sessions are listed with their end, cost, steps, model and findings', async () => {
    const panel = await panelOverStore(memorySessions());
    const all = rows(panel);
    expect(all.map((row) => /Hi [A-Z][a-z]{3}|Count/.exec(row)?.[0])).toEqual([
      'Hi Carl',
      'Hi Bert',
      'Count',
      'Hi Anna',
    ]);
    expect(all[2]).toMatch(/\$0\.0012.*with faults.*1 step.*answer-cut/);
    expect(all[3]).toMatch(/finished.*1 step.*small/);
  });

  it('each filter leaves the runs that it names', async () => {
    const panel = await panelOverStore(memorySessions());
    const set = (label: string, value: string): void =>
      void fireEvent.change(panel.getByLabelText(label), { target: { value } });
    const code = panel.getByLabelText('Every finding') as HTMLSelectElement;
    expect([...code.options].map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^answer-cut: 1 of 4, since \w{3} \d+ \w{3}/),
    );
    for (const [label, value, left] of [
      ['Every finding', 'answer-cut', 1],
      ['Every end', 'finished', 3],
      ['Every model', 'small', 3],
      ['Words', 'bert', 1],
      ['From $', '1', 0],
      ['From steps', '1', 4],
      ['Since, as 2026-11-24', '2999-01-01', 0],
    ] as const) {
      set(label, value);
      expect(rows(panel), label).toHaveLength(left);
      set(label, '');
      expect(rows(panel)).toHaveLength(4);
    }
  });

  it('a press opens the run as it was, beside the sessions of the page', async () => {
    const panel = await panelOverStore(memorySessions());
    fireEvent.click(panel.getByText('Count'));
    await panel.findByText('anna, run 2');
    await panel.findByText(/the answer was cut at the length limit/);
    expect(panel.getByRole('tab', { name: 'Run' }).getAttribute('aria-selected')).toBe('true');
  });

  it('a session that cannot be read is counted and hides no other', async () => {
    const memory = memorySessions();
    const load: FullSessionStore['load'] = (id) =>
      id === 'bert' && isBroken ? Promise.reject(new Error('The disk is gone.')) : memory.load(id);
    let isBroken = false;
    const sessions = { ...memory, load };
    await (await ask(sessions, 'bert', [answer('Hello')], ['Hi Bert'])).dispose();
    isBroken = true;
    const panel = await openedPanel();
    await ask(sessions, 'carl', [answer('Hello')], ['Hi Carl']);
    fireEvent.click(await panel.findByRole('tab', { name: 'History' }));
    await panel.findByText(/1 session could not be read/);
    expect(rows(panel)).toHaveLength(1);
  });

  it('older sessions are read page by page', async () => {
    const sessions = memorySessions();
    for (let i = 0; i < 23; i++)
      await (await ask(sessions, `s${i}`, [answer('Hello')], [`Hi ${i}`])).dispose();
    const panel = await openedPanel();
    await ask(sessions, 'carl', [answer('Hello')], ['Hi Carl']);
    fireEvent.click(await panel.findByRole('tab', { name: 'History' }));
    await panel.findByText(/^20 of 20 runs in 20 sessions/);
    fireEvent.click(panel.getByRole('button', { name: 'Read older sessions' }));
    await waitFor(() => expect(rows(panel)).toHaveLength(24));
    expect(panel.queryByRole('button', { name: 'Read older sessions' })).toBeNull();
  });
});
