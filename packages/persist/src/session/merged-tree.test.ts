import { expect, it } from 'vitest';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';
import { diarist, idOf } from '@vitrine/core/internal/session/branches/branches.fixture';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { withBranch } from '@vitrine/core/internal/session/branches/session-tree';
import { mergedTree } from './tabs.ts';

it('a merged tree keeps the stored line as a branch when an edit that is not stored yet has left it', async () => {
  const sessions = memorySessions();
  const session = createAgentSession({ agent: diarist(), publish: 'immediate', sessions, sessionId: 'one' });
  await session.sendMessage('note a');
  await session.flush();
  const record = loadedSession(await sessions.load('one'));
  if (record === null) throw new Error('The session is not stored.');
  const { state } = liveRecord(record);
  const stored = { ...record, state };
  await session.edit(idOf(session, 'note a'), 'note b');
  const edited = session.store.getState().state;
  const own = withBranch(stored, { id: 'left', leftAt: record.updatedAt, state });

  expect(mergedTree(stored, own, edited).branches).toEqual(own.branches);
  expect(mergedTree(stored, own, state).branches).toEqual([]);
});
