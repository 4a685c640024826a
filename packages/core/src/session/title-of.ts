import { messages } from '../graph/agent-state/accessors.ts';
import { text } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';

const titleLength = 60;

/** The derived title of a session: the first message of the user, on one line. */
export function titleOf(state: AgentState): string {
  const first = messages(state).find((message) => message.role === 'user');
  const line = first ? text(first).trim().replace(/\s+/g, ' ') : '';
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line;
}
