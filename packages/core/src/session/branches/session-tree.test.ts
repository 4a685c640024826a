import { expect, it } from 'vitest';
import { liveRecord } from '../store/live-record.ts';
import { loadedSession } from '../store/loaded-session.ts';
import { memorySessions } from '@vitrine/persist/internal/drivers/memory/memory-sessions';
import { diarist, idOf } from './branches.fixture.ts';
import { createAgentSession } from '../create-agent-session.ts';
import { mergedTree, withBranch } from './session-tree.ts';

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
