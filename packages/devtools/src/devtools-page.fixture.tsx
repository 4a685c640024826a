import { act, cleanup, render, waitFor, within } from '@testing-library/react';
import { type AgentSession, createAgentSession, defineAgent, defineTool } from '@vitrine/core';
import { type ScriptedEntry, scriptedInference } from '@vitrine/testing';
import { vi } from 'vitest';
import * as z from 'zod';
import { AgentDevtools } from './index.ts';

const opened: AgentSession[] = [];

/** Removes the panel and lets the time pass in which its recorder could be reused. */
export function cleanUpForGood(unmount: () => void = () => undefined): void {
  vi.useFakeTimers();
  cleanup();
  unmount();
  vi.advanceTimersByTime(2000);
  vi.useRealTimers();
}

/** Disposes of the sessions that a test opened. */
export async function closePage(): Promise<void> {
  cleanUpForGood();
  await Promise.all(opened.splice(0).map((session) => session.dispose()));
  localStorage.clear();
}

/** A tool that returns its input text. */
export const echo = defineTool({
  name: 'echo',
  description: 'Says it again',
  input: z.object({ text: z.string(), password: z.string().optional() }),
  execute: ({ text }) => `echo of ${text}`,
});

/** A session whose agent calls `echo` and then answers, once for each word. */
export function echoSession(words: readonly string[], init: object = {}): AgentSession {
  const answers = words.flatMap((text): ScriptedEntry[] => [
    { toolCalls: [{ name: 'echo', input: { text, password: 'swordfish' } }] },
    { text: `Answer to ${text}` },
  ]);
  const inference = scriptedInference(answers);
  const agent = defineAgent({ name: 'helper', systemPrompt: 'Be kind.', tools: [echo], inference, ...init });
  const session = createAgentSession({ agent });
  opened.push(session);
  return session;
}

/** Opens the panel. */
export async function openedPanel(): Promise<ReturnType<typeof within>> {
  render(<AgentDevtools initialIsOpen />);
  await waitFor(() => expectRoot());
  return within(expectRoot());
}

/** Opens the panel and an agent that has answered two messages. */
export async function panelAfterTwoRuns(): Promise<{
  readonly panel: ReturnType<typeof within>;
  readonly session: AgentSession;
}> {
  const panel = await openedPanel();
  const session = echoSession(['one', 'two', 'three']);
  await act(() => session.sendMessage('First question'));
  await act(() => session.sendMessage('Second question'));
  await panel.findByText('run 2');
  await panel.findByText(/^It finished after 2 steps/);
  return { panel, session };
}

function expectRoot(): HTMLElement {
  const root = document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root');
  if (!(root instanceof HTMLElement)) throw new Error('The panel is not there.');
  return root;
}
