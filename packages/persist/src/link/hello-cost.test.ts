import { serialize } from 'node:v8';
import { expect, it } from 'vitest';
import * as AgentState from '@vitrine/core/internal/run/agent-state';
import { assistant, user } from '@vitrine/core/internal/graph/message';
import { sampleRecord } from '@vitrine/testing/internal/store-suite/sample-session';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { simulatedTabs } from '@vitrine/testing/internal/simulated-tabs.fixture';
import { simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from '../session/loaded-parts.fixture.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import type { TabLink } from '@vitrine/core/internal/session/store/tab-link';

/** A link that counts the bytes that its tab sends, as the channel copies them. */
function counting(link: TabLink): { readonly link: TabLink; readonly bytes: () => number } {
  let bytes = 0;
  const open: TabLink['open'] = (name, onMessage) => {
    const channel = link.open(name, onMessage);
    return {
      ...channel,
      post(message) {
        bytes += serialize(message).length;
        channel.post(message);
      },
    };
  };
  return { link: { ...link, open }, bytes: () => bytes };
}

/** The bytes that a leader sends while another tab opens, and when that tab asks again after lost messages. */
async function bytesOf(messages: number): Promise<{ readonly opening: number; readonly rejoining: number }> {
  await loadParts();
  const time = simulatedTime();
  let isLost = false;
  const links = simulatedTabs([1], time.sleep, () => isLost);
  const sessions = memorySessions();
  const env = time.env(9);
  const said = Array.from({ length: messages / 2 }, (_, at) => [
    user(`Question ${at}: what does the report say about the year ${1000 + at}?`),
    assistant(`It says that the year ${1000 + at} was much like the one before, but for the weather.`),
  ]).flat();
  const state = AgentState.withMessages(AgentState.create({}, env), said, env);
  await sessions.save({ ...sampleRecord('a', state, env), queue: [] }, { expectedVersion: 0 });
  const open = (link: TabLink, page: number): AgentSession => {
    const session = createAgentSession({
      agent: scriptedAgent([{ text: 'A short answer' }]),
      sessions: { ...sessions, tabs: link },
      sessionId: 'a',
      publish: 'immediate',
      env: time.env(page),
    });
    void session.ready;
    return session;
  };
  const counted = counting(links.open().link);
  const leader = open(counted.link, 0);
  await time.pass(100);
  const follower = open(links.open().link, 1);
  await time.pass(3000);
  const opening = counted.bytes();
  expect(follower.store.getState().state).toEqual(leader.store.getState().state);
  let isDone = false;
  void leader.sendMessage('One').then(() => (isDone = true));
  await time.until(
    () => isDone,
    () => 'the turn',
  );
  await time.pass(3000);
  isLost = true;
  isDone = false;
  void leader.sendMessage('Two').then(() => (isDone = true));
  await time.until(
    () => isDone,
    () => 'the turn',
  );
  await time.pass(200);
  isLost = false;
  const before = counted.bytes();
  await time.pass(60_000);
  expect(follower.store.getState().state).toEqual(leader.store.getState().state);
  return { opening, rejoining: counted.bytes() - before };
}

it('a tab that opens, or rejoins after lost messages, costs the missing records, however long the session is', async () => {
  const [short, long] = [await bytesOf(10), await bytesOf(1000)];
  expect(long.opening).toBeLessThan(1200);
  expect(long.opening).toBeLessThan(short.opening * 1.1);
  expect(long.rejoining).toBeLessThan(12_200);
  expect(long.rejoining).toBeLessThan(short.rejoining * 1.1);
});
