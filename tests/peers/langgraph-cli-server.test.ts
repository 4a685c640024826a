// @vitest-environment node
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AgentSession, createAgentSession } from '@vitrine/core';
import { langGraphAgent } from '@vitrine/langgraph';
import * as AgentState from '../../packages/core/src/run/agent-state.ts';

const graph = new URL('./said-graph.fixture.mjs', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'vitrine-langgraph-'));
let url = '';
let stop = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  // No level of its logger: it says nothing.
  vi.stubEnv('LOG_LEVEL', 'none');
  const { startServer } = await import('@langchain/langgraph-api/server');
  const graphs = { agent: `${graph.pathname}:graph` };
  const server = await startServer({ port: 0, nWorkers: 1, host: '127.0.0.1', cwd: folder, graphs });
  url = `http://${server.host}`;
  stop = server.cleanup;
}, 60_000);

afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

const stateOf = (session: AgentSession) => session.store.getState().state;
const saidIn = (session: AgentSession) =>
  AgentState.messages(stateOf(session))
    .filter(({ role }) => role === 'assistant')
    .map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join(''));

describe('an agent over the server of the LangGraph CLI', () => {
  it('turns behind failed ones end as their runs do, and know the whole conversation', async () => {
    const agent = langGraphAgent({ url, idleMs: 10_000 });
    const session = createAgentSession({ agent, publish: 'immediate' });
    const ends: (string | null)[] = [];
    for (const text of ['fail first', 'one', 'fail', 'two', 'ask'])
      ends.push((await session.sendMessage(text)).outcome);
    expect(ends).toEqual(['failed', 'completed', 'failed', 'completed', null]);
    await session.approve(AgentState.pendingApprovals(stateOf(session))[0]!.id);
    expect(await session.sendMessage('three')).toMatchObject({ outcome: 'completed' });
    expect(saidIn(session)).toEqual([
      'fail first, one',
      'fail first, one, fail, two',
      '', // the question
      'fail first, one, fail, two, ask, true',
      'fail first, one, fail, two, ask, three',
    ]);
  }, 60_000);
});
