import { eventsOf, type JournalRecord } from '@vitrine/core/inspect';

/** What is held of a budget by calls whose costs are not known yet. */
export type Held = { readonly tokens: number; readonly cost: number };

const nothing: Held = { tokens: 0, cost: 0 };
/** Who waits for room is heard of often; further back nobody waits any more. */
const looked = 500;

/** What is held at the end of a record: as an agent was told that waits for room, and goes on waiting. */
export function heldIn(record: JournalRecord): Held {
  if (record.state.execution?.status !== 'in-progress') return nothing;
  const events = eventsOf(record);
  const heard = new Set<string>();
  for (let at = events.length - 1; at >= Math.max(0, events.length - looked); at--) {
    const event = events[at]?.event;
    if (event === undefined) break;
    const path = event.path.join('/');
    if (event.type === 'budget-wait' && !heard.has(path)) return event.held;
    if (event.type === 'execution-start' && path === '') break;
    heard.add(path);
  }
  return nothing;
}
