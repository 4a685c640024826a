import type { SessionHead, SessionSummary } from './session-store.ts';

/** The summary of a session for a list. */
export function summaryOf(head: SessionHead): SessionSummary {
  const { id, version, title, agentName, parentId, createdAt, updatedAt, status, executionStatus } = head;
  const summary = { id, version, title, agentName, parentId, createdAt, updatedAt, status, executionStatus };
  return head.deletedAt === undefined ? summary : { ...summary, deletedAt: head.deletedAt };
}
