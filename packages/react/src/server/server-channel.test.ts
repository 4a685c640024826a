// @vitest-environment node
import { type AgentDefinition, createAgentSession } from '@vitrine/core';
import { unseal, seal } from '@vitrine/persist/internal/link/protocol';
import type { LinkConnection } from '@vitrine/persist';
import { expect, it, onTestFinished } from 'vitest';
import { agentServer } from './agent-server.ts';
import { keptOutbox } from './kept-outbox.ts';
import { openServerChannel } from './server-channel.ts';
import { createServerRequests } from './server-requests.ts';
import {
  createVirtualBrowser,
  createVirtualClock,
  installVirtualGlobals,
  openTab,
  runIn,
} from './virtual-browser.fixture.ts';

it('a command that hangs on its way is told as one that did not arrive while events come', async () => {
  const clock = createVirtualClock();
  onTestFinished(installVirtualGlobals(clock));
  let takeCommand = (): void => undefined;
  const fetch: typeof globalThis.fetch = (_input, init) =>
    init?.method === 'POST'
      ? new Promise((resolve) => (takeCommand = () => resolve(Response.json({ id: 'c1' }))))
      : Promise.resolve(new Response(new ReadableStream()));
  const told: LinkConnection[] = [];
  runIn(openTab(createVirtualBrowser(clock)), () => {
    const channel = openServerChannel({
      requests: createServerRequests({ url: '/api', fetch }),
      outbox: keptOutbox('/api'),
      session: {
        agentName: 'clerk',
        sessionId: 's1',
        onConnection: (connection) => void told.push(connection),
      },
      onMessage: (data) => unseal(data),
    });
    channel.post(seal({ type: 'hello', id: 'f', have: null, seen: null }));
    channel.post(seal({ type: 'command', command: { type: 'clear-error', id: 'c1' } }));
  });
  await clock.advance(4900);
  expect(told).toEqual(['open']);
  await clock.advance(200);
  expect(told).toEqual(['open', 'reconnecting']);
  takeCommand();
  await clock.advance(0);
  expect(told).toEqual(['open', 'reconnecting', 'open']);
});

type Served = { readonly '~agents'?: { readonly clerk: AgentDefinition } };

it('a page that opens a session again keeps the draft that it had until the server answers', async () => {
  const { agents, sessions } = agentServer<Served>({
    url: '/api',
    fetch: () => new Promise(() => undefined),
  });
  const initialDraft = 'half a message';
  const session = createAgentSession({ agent: agents.clerk, sessions, sessionId: 's1', initialDraft });
  onTestFinished(async () => void (await session.dispose()));
  await session.ready;
  expect(session.store.getState().draft).toBe(initialDraft);
});
