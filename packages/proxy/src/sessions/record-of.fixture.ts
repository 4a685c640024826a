import { AgentState, type SessionRecord } from '@vitrine/core';

/** A session around a state, as an application would save it. */
export function recordOf(id: string, title = 'Titled', state = AgentState.create({})): SessionRecord {
  return {
    id,
    version: 0,
    title,
    agentName: 'agent',
    parentId: null,
    createdAt: 1,
    updatedAt: 2,
    status: 'active',
    executionStatus: null,
    queue: [],
    draft: '',
    state,
    journal: { id: 'j', records: 0, tail: [] },
    branches: [],
    checkpoints: [],
  };
}
