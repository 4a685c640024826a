import { AgentState, type ToolExecution } from '@vitrine/core';
import { eventsOf, type JournalRecord } from '@vitrine/core/inspect';

const known = new WeakMap<JournalRecord, Map<string, JournalRecord | null>>();

/**
 * The record of a subagent, as if it had been recorded separately; null when the path leads to none. If its
 * start was not recorded, the record contains only the state.
 * @param path The tool executions between the root and the subagent; an empty path returns the record
 * itself.
 */
export function childRecord(record: JournalRecord, path: readonly string[]): JournalRecord | null {
  if (path.length === 0) return record;
  const children = known.get(record) ?? new Map<string, JournalRecord | null>();
  known.set(record, children);
  const key = path.join('/');
  const child = children.get(key);
  if (child !== undefined) return child;
  const made = recordAlone(record, path);
  children.set(key, made);
  return made;
}

function recordAlone(record: JournalRecord, path: readonly string[]): JournalRecord | null {
  const state = stateBelow(record.state, path);
  if (state === null) return null;
  const journalId = `${record.pages.at(-1)?.journalId ?? ''}/${path.join('/')}`;
  const events = eventsOf(record);
  const callId = path.at(-1);
  const start = events.findLastIndex(
    ({ event }) => event.type === 'subagent-start' && event.toolCallId === callId,
  );
  const begun = events[start]?.event;
  const nothing = { stored: [], missed: 0, dropped: { events: 0, steps: 0, bytes: 0 } };
  const whole = { ...record, ...nothing, state };
  if (begun?.type !== 'subagent-start') return { ...whole, pages: [{ journalId, base: state, events: [] }] };
  const own = events.slice(start + 1).flatMap((entry) => {
    const { event } = entry;
    if (event.path.length < path.length || path.some((id, at) => event.path[at] !== id)) return [];
    return [{ ...entry, event: { ...event, path: event.path.slice(path.length) } }];
  });
  return { ...whole, pages: [{ journalId, base: begun.child, events: own }] };
}

function stateBelow(state: AgentState, path: readonly string[]): AgentState | null {
  let below: AgentState | null = state;
  for (const id of path) {
    const calls: readonly ToolExecution[] = AgentState.steps(below).flatMap(
      ({ toolExecutions }) => toolExecutions,
    );
    below = calls.find((call) => call.id === id)?.childState ?? null;
    if (below === null) return null;
  }
  return below;
}
