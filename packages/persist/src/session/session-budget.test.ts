import { describe, expect, it } from 'vitest';
import { stopSignal } from '@vitrine/core/internal/graph/agent-state/accessors';
import { user } from '@vitrine/core/internal/graph/message';
import { sessionSpent } from '@vitrine/core/internal/graph/limits';
import { withMessages } from '@vitrine/core/internal/graph/agent-state/transitions';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { selectors } from '@vitrine/core/internal/session/conversation/selectors';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

const agent = scriptedAgent([{ text: 'Answer', usage: { inputTokens: 90, outputTokens: 10 } }], {
  sessionBudget: { tokens: 1000 },
});
const open = (sessions = memorySessions(), sessionId = 's'): AgentSession =>
  createAgentSession({ agent, publish: 'immediate', sessions, sessionId });
const spent = (session: AgentSession): number => sessionSpent(session.store.getState().state).tokens;
const lastAnswer = (session: AgentSession): string =>
  session.store
    .getState()
    .state.context.store.sections.flatMap(({ messages }) => messages)
    .at(-1)?.id ?? '';

describe('the budget of a session', () => {
  it('the spent budget lasts over retries, edits, branches, replaced messages, resets and reloads', async () => {
    const sessions = memorySessions();
    const session = open(sessions);
    await session.sendMessage('One');
    await session.sendMessage('Two');
    expect(spent(session)).toBe(200);
    await session.regenerate(lastAnswer(session));
    expect(spent(session)).toBe(300);
    const [first] = session.store.getState().state.context.store.sections[0]?.messages ?? [];
    await session.edit(first?.id ?? '', 'Other');
    expect(spent(session)).toBe(400);
    await session.update((state) => withMessages(state, [user('Given')]));
    expect(spent(session)).toBe(400);
    await session.reset();
    expect(spent(session)).toBe(400);
    await session.sendMessage('Again');
    expect(spent(session)).toBe(500);
    await session.flush();
    await session.dispose();
    const again = open(sessions);
    await again.ready;
    expect(spent(again)).toBe(500);
    const budget = selectors.budget(again.store.getState());
    expect(budget.session?.tokens).toEqual({ spent: 500, limit: 1000, left: 500 });
  });

  it('a fork keeps the remaining budget, and a session without budget calls no model', async () => {
    const sessions = memorySessions();
    const session = open(sessions);
    for (let turn = 0; turn < 9; turn++) await session.sendMessage('More');
    const fork = open(sessions, await session.fork({ messageId: lastAnswer(session) }));
    await fork.ready;
    expect(spent(fork)).toBe(900);
    await fork.sendMessage('And');
    await fork.sendMessage('More');
    expect(stopSignal(fork.store.getState().state)).toMatchObject({
      reason: 'token-limit-reached',
      source: 'session-budget',
    });
    expect(spent(fork)).toBe(1000);
    expect(spent(session)).toBe(900);
  });
});
