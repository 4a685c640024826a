import { IDBFactory } from 'fake-indexeddb';
import 'fake-indexeddb/auto';
import { AgentState, createAgentSession, Message, type SessionStore, type Turn } from '@vitrine/core';
import {
  indexedDBSessions,
  localStorageSessions,
  memorySessions,
  type FullSessionStore,
} from '@vitrine/persist';
import { sessionHub } from '@vitrine/inspect';
import fc from 'fast-check';
import { type ReactNode, useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLink } from './fixtures/link.ts';
import { agentOf, pause } from './fixtures/chat.tsx';
import { useAgent } from './hooks/use-agent.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 4);

type Step = {
  readonly type: 'show' | 'leave' | 'send' | 'send-by-kept';
  readonly slot: number;
  readonly id: string;
  /** True if the page renders before the next step begins. */
  readonly isSync: boolean;
  readonly waitMs: number;
};

const ids = ['a', 'b'];
const steps = fc.array(
  fc.record<Step>({
    type: fc.constantFrom('show', 'show', 'leave', 'send', 'send', 'send-by-kept'),
    slot: fc.nat(1),
    id: fc.constantFrom(...ids),
    isSync: fc.boolean(),
    waitMs: fc.constantFrom(0, 0, 0, 1, 4, 17, 40),
  }),
  { minLength: 4, maxLength: 24 },
);

const stores: Readonly<Record<string, (number: number) => FullSessionStore>> = {
  memory: () => memorySessions(),
  localStorage(number) {
    // A page that cannot save, because earlier pages filled the store, keeps its sessions open.
    localStorage.clear();
    return localStorageSessions({ prefix: `law-${number}` });
  },
  IndexedDB: (number) => indexedDBSessions({ name: `law-${number}` }),
};

// Effects run as in a browser, without act().
const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
beforeAll(() => void (environment.IS_REACT_ACT_ENVIRONMENT = false));
afterAll(() => void (environment.IS_REACT_ACT_ENVIRONMENT = true));
beforeEach(() => void (globalThis.indexedDB = new IDBFactory()));

let made = 0;

describe.each(Object.keys(stores))('a page over %s', (driver) => {
  it.each([
    ['with locks', true],
    ['without locks', false],
  ])(
    'no answer is lost and no session runs twice for any order of shown, sent and unmounted chats (%s)',
    { timeout: 1_800_000 },
    async (_name, hasLocks) => {
      const property = fc.asyncProperty(steps, async (taken) => {
        const store = (stores[driver] as (number: number) => FullSessionStore)(++made);
        const sessions = { ...store, tabs: hasLocks ? createLink() : null };
        await expectNothingLost(taken, sessions);
      });
      await fc.assert(property, { numRuns, endOnFailure: numRuns > 20 });
    },
  );
});

async function expectNothingLost(steps: readonly Step[], sessions: SessionStore): Promise<void> {
  const [page, prefix] = [openPage(sessions), `${made}-`];
  const sent: { readonly id: string; readonly text: string; readonly turn: Promise<Turn> }[] = [];
  for (const [at, step] of steps.entries()) {
    const chat = page.take({ ...step, id: prefix + step.id });
    if (chat !== null) {
      const text = `question ${at} in ${chat.name}`;
      sent.push({ id: chat.name, text, turn: chat.sendMessage(text) });
    }
    if (step.waitMs > 0) await pause(step.waitMs);
  }
  const turns = await Promise.all(sent.map(({ turn }) => turn));
  expect(turns.map(({ status, outcome }) => `${status} ${outcome}`)).toEqual(
    sent.map(() => 'done completed'),
  );
  page.close();
  const opened = [...new Set(sent.map(({ id }) => id))];
  await expect.poll(() => opened.flatMap(announced)).toEqual([]);
  for (const id of opened) {
    const asked = sent.filter((one) => one.id === id).map(({ text }) => text);
    expect(await said(id, sessions)).toEqual(asked.flatMap((text) => [text, `answer to ${text}`]));
  }
  expect(page.most()).toBeLessThanOrEqual(1);
}

type Chat = { readonly name: string; readonly sendMessage: (text: string) => Promise<Turn> };

/** A page with two places for chats, and the actions of a person on it. */
function openPage(sessions: SessionStore): {
  /** Performs a step; returns the chat to write to, or null. */
  readonly take: (step: Step) => Chat | null;
  /** The highest number of active sessions with one id at the same time. */
  readonly most: () => number;
  readonly close: () => void;
} {
  let most = 0;
  const agent = agentOf([
    ({ messages }) => {
      const text = Message.text(messages.at(-1) as Message);
      most = Math.max(most, announced(text.split(' ').at(-1) as string).length);
      return { text: `answer to ${text}`, chunks: 3, delayMs: 2 };
    },
  ]);
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  const places: (string | null)[] = [null, null];
  const shown: (Chat | null)[] = [null, null];
  const kept: Chat[] = [];

  function Place({ at, id }: { readonly at: number; readonly id: string }): ReactNode {
    const { messages, sendMessage } = useAgent(agent, { sessionId: id, sessions });
    useLayoutEffect(() => {
      const chat = { name: id, sendMessage };
      kept.push(chat);
      shown[at] = chat;
      return () => void (shown[at] = null);
    }, [at, id, sendMessage]);
    return messages.length;
  }

  function render(isSync: boolean): void {
    const view = places.map((id, at) => id !== null && <Place key={at} at={at} id={id} />);
    if (isSync) flushSync(() => root.render(view));
    else root.render(view);
  }

  return {
    take({ type, slot, id, isSync }) {
      if (type === 'send') return shown[slot] ?? null;
      if (type === 'send-by-kept') return kept[(slot * 7) % Math.max(1, kept.length)] ?? null;
      places[slot] = type === 'show' ? id : null;
      render(isSync);
      return null;
    },
    most: () => most,
    close() {
      root.unmount();
      host.remove();
    },
  };
}

/** The active sessions of an id in this page. */
function announced(id: string): readonly unknown[] {
  return sessionHub()
    .sources()
    .filter((source) => source.id === id);
}

/** The stored texts of a session. */
async function said(id: string, sessions: SessionStore): Promise<readonly string[]> {
  const session = createAgentSession({ agent: agentOf([{}]), sessions, sessionId: id });
  await session.ready;
  const { state } = session.store.getState();
  await session.dispose();
  return AgentState.messages(state).map(Message.text);
}
