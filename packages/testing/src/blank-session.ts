import { create } from '@vitrine/core/internal/graph/agent-state/create';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';

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
