import { AgentState, type SessionRecord } from '@vitrine/core';
import { blankSession } from '@vitrine/testing';

/** A session around a state, as an application would save it. */
export function recordOf(id: string, title = 'Titled', state = AgentState.create({})): SessionRecord {
  return blankSession(id, { title, state, updatedAt: 2, journal: { id: 'j', records: 0, tail: [] } });
}
