import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type {
  SessionList,
  SessionQuery,
  SessionSummary,
} from '@vitrine/core/internal/session/store/session-store';

/** Returns the requested summaries, newest first; equal times are ordered by id. */
export function listSessions(summaries: readonly SessionSummary[], query: SessionQuery = {}): SessionList {
  const { id, status, agentName, limit = Infinity, cursor } = query;
  const isHidden = (entry: SessionSummary): boolean => entry.status === 'deleted' && id === undefined;
  const sorted = summaries
    .filter((entry) => id === undefined || entry.id === id)
    .filter((entry) => entry.status === status || (status === undefined && !isHidden(entry)))
    .filter((entry) => agentName === undefined || entry.agentName === agentName)
    .sort(newestFirst);
  const after = cursor === undefined ? null : placeOf(cursor);
  const rest = after === null ? sorted : sorted.filter((entry) => newestFirst(after, entry) < 0);
  const sessions = rest.slice(0, limit);
  const last = sessions.at(-1);
  return { sessions, cursor: last && sessions.length < rest.length ? `${last.updatedAt}:${last.id}` : null };
}

/** True when the title or the text of a message contains the words. Case is ignored. */
export function holdsText(title: string, state: AgentState, words: string): boolean {
  const wanted = words.toLowerCase();
  if (title.toLowerCase().includes(wanted)) return true;
  return messages(state).some((message) => text(message).toLowerCase().includes(wanted));
}

type Place = Pick<SessionSummary, 'updatedAt' | 'id'>;

function newestFirst(a: Place, b: Place): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Parses a cursor. It names a place, so the list continues even if that session was removed or used since. */
function placeOf(cursor: string): Place {
  const at = cursor.indexOf(':');
  return { updatedAt: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) };
}
