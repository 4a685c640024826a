import { create } from '../graph/agent-state/create.ts';
import type { SessionRecord } from '../session/stores/session-store.ts';

/** An empty session as a store first receives it; for tests of stores. */
export function blankSession(id: string, init: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    version: 0,
    title: '',
    agentName: 'agent',
    parentId: null,
    createdAt: 1,
    updatedAt: 1,
    status: 'active',
    executionStatus: null,
    queue: [],
    draft: '',
    state: create({}),
    journal: { id: `journal-of-${id}`, records: 0, tail: [] },
    branches: [],
    checkpoints: [],
    ...init,
  };
}
